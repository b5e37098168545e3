import type { MyAccount } from "#core/accounts/profile.server.ts";
import { GoogleLink } from "../../auth/google/inside-app.tsx";
import { PasswordInput } from "../../ui/forms/password-input.tsx";
import { UsernameField } from "../../ui/forms/username-field.tsx";
import { t } from "../../ui/texts/texts.ts";

/** Whether the form can be sent: an account without a password needs a sign-in of the last 15 minutes. */
export function canConfirm({ hasPassword, isSignedInRecently }: MyAccount): boolean {
  return hasPassword || isSignedInRecently;
}

/** How the owner of the account confirms a download or a deletion: by the password, or by another sign-in with Google. */
export function OwnerCheck(props: {
  account: MyAccount;
  id: string;
  returnTo: string;
  errors?: string[] | undefined;
}) {
  const { account, id, returnTo, errors } = props;
  if (account.hasPassword) {
    return (
      <>
        <UsernameField email={account.email} />
        <PasswordInput
          id={id}
          name="password"
          label={t("Your password")}
          autoComplete="current-password"
          errors={errors}
          required
        />
      </>
    );
  }
  if (canConfirm(account)) return null;
  return (
    <div className="flex flex-col items-start gap-3">
      <p>{t("To make sure it’s you, please sign in with Google again. You’ll then have 15 minutes.")}</p>
      <GoogleLink returnTo={returnTo} label={t("Sign In with Google Again")} />
    </div>
  );
}
