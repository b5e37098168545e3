import { useEffect, useState } from "react";
import { googlePageAddress } from "../../auth/google/google-popup.ts";
import { takeFailureOfReturn } from "../../auth/google/google-result.ts";
import { Banner } from "../../ui/banner.tsx";
import { buttonClasses } from "../../ui/class-names.ts";
import { useShared } from "../../use-shared.ts";

/** Offers to open the account with Google as well. An admin has a password, which the admin area asks for again. */
export function GoogleConnection(props: { isConnected: boolean; isAdmin: boolean; isVerified: boolean }) {
  const { isConnected, isAdmin, isVerified } = props;
  const { googleSignIn } = useShared();
  const [failure, setFailure] = useState<string | null>(null);
  // The page has been at Google itself and is back. This runs before the effect of the sign-in dialog, which would open.
  useEffect(() => setFailure(takeFailureOfReturn()), []);
  if (isConnected) return <p className="text-muted">You can also sign in with Google.</p>;
  if (!googleSignIn || isAdmin) return null;
  return (
    <div className="flex flex-col gap-3 border-line border-t pt-6">
      {failure === null ? null : <Banner tone="error">{failure}</Banner>}
      <p>
        {isVerified
          ? "You can also sign in with Google, if your Google account has the same email address."
          : "You can sign in with Google instead, if your Google account has the same email address. Google then confirms the address, and your current password is removed. You can set a new one afterwards."}
      </p>
      <a href={googlePageAddress("/account")} className={buttonClasses({}, "self-start")}>
        Connect Google
      </a>
    </div>
  );
}
