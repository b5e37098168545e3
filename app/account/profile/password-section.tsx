import { useEffect, useRef, useState } from "react";
import type { MyAccount } from "#core/accounts/profile.server.ts";
import {
  ADMIN_PASSWORD_HINT,
  NEW_PASSWORD_HINT,
  ResetIntro,
  ResetRequested,
} from "../../auth/forms/credential-fields.tsx";
import { takeFailureOfReturn } from "../../auth/google/google-result.ts";
import { GoogleLink } from "../../auth/google/inside-app.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { PasswordInput } from "../../ui/forms/password-input.tsx";
import { UsernameField } from "../../ui/forms/username-field.tsx";
import { t, tNodes } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import {
  AccountForm,
  type AccountResult,
  AccountSection,
  FormOutcome,
  resultOf,
  useIsSending,
} from "./account-form.tsx";

/** How the account is opened: by a password, by Google, or by both. */
export function PasswordSection(props: {
  account: MyAccount;
  /** An admin whose password the shop made replaces it before the admin area opens. */
  mustChange: boolean;
  result: AccountResult | undefined;
}) {
  const { account, mustChange, result } = props;
  const { hasPassword, hasGoogle } = account;
  const isAdmin = account.provider === "admin";
  const passwordResult = resultOf(result, "password");
  return (
    <AccountSection
      id="password"
      title={t(hasGoogle ? "Password and Google" : "Password")}
      about={t(
        hasPassword
          ? "Changing your password signs you out of every other browser and disconnects the extension on every device."
          : "You sign in with Google. Your account has no password.",
      )}
    >
      <div className="flex max-w-96 flex-col gap-6">
        {mustChange ? (
          <Banner tone="warning">
            {t(
              "Set a password of your own: the one that you signed in with was made by the shop, and it may be in a log. The admin area opens afterwards.",
            )}
          </Banner>
        ) : null}
        {hasPassword ? <PasswordForm isAdmin={isAdmin} result={passwordResult} /> : null}
        {isAdmin && !mustChange && passwordResult?.ok ? (
          <LinkButton to="/admin">{t("Go to Admin Panel")}</LinkButton>
        ) : null}
        {hasPassword ? null : <SetPassword email={account.email} result={resultOf(result, "reset")} />}
        {hasPassword ? (
          <GoogleConnection isConnected={hasGoogle} isAdmin={isAdmin} isVerified={account.emailVerified} />
        ) : null}
      </div>
    </AccountSection>
  );
}

/** An account without a password gets one by the mail that proves the address. */
function SetPassword({ email, result }: { email: string; result: AccountResult | undefined }) {
  const busy = useIsSending("reset");
  const { sendsMail } = useShared();
  return (
    <AccountForm intent="reset" className="flex flex-col gap-4">
      {result?.ok ? <ResetRequested result={result} /> : <FormOutcome result={result} />}
      {sendsMail ? (
        <p>
          {tNodes("Would you like to sign in with a password as well? We’ll send a link to {email}.", {
            email: (
              <span key="email" className="wrap-anywhere font-medium">
                {email}
              </span>
            ),
          })}
        </p>
      ) : (
        <div className="flex flex-col items-start gap-4">
          <ResetIntro isAsked={result?.ok} />
        </div>
      )}
      <Button type="submit" busy={busy} className="self-start">
        {t("Send a Link to Set a Password")}
      </Button>
    </AccountForm>
  );
}

/** Offers to open the account with Google as well. An admin has a password, which the admin area asks for again. */
function GoogleConnection(props: { isConnected: boolean; isAdmin: boolean; isVerified: boolean }) {
  const { isConnected, isAdmin, isVerified } = props;
  const { googleSignIn } = useShared();
  const [failure, setFailure] = useState<string | null>(null);
  // The page has been at Google itself and is back. This runs before the effect of the sign-in dialog, which would open.
  useEffect(() => setFailure(takeFailureOfReturn()), []);
  if (isConnected) return <p className="text-muted">{t("You can also sign in with Google.")}</p>;
  if (!googleSignIn || isAdmin) return null;
  return (
    <div className="flex flex-col gap-3 border-line border-t pt-6">
      {failure === null ? null : <Banner tone="error">{failure}</Banner>}
      <p>
        {t(
          isVerified
            ? "You can also sign in with Google, if your Google account has the same email address."
            : "You can sign in with Google instead, if your Google account has the same email address. Google then confirms the address, and your current password is removed. You can set a new one afterwards.",
        )}
      </p>
      <GoogleLink returnTo="/account" label={t("Connect Google")} className="self-start" />
    </div>
  );
}

function PasswordForm({ isAdmin, result }: { isAdmin: boolean; result: AccountResult | undefined }) {
  const { user } = useShared();
  const busy = useIsSending("password");
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (result?.ok) fields.current?.closest("form")?.reset();
    else fields.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [result]);
  return (
    <AccountForm intent="password">
      <div ref={fields} className="flex flex-col gap-4">
        <FormOutcome result={result} />
        <UsernameField email={user?.email ?? ""} />
        <PasswordInput
          id="current-password"
          name="password"
          label={t("Current password")}
          autoComplete="current-password"
          errors={result?.fields?.password}
          required
        />
        <PasswordInput
          id="new-password"
          name="newPassword"
          label={t("New password")}
          hint={isAdmin ? ADMIN_PASSWORD_HINT : NEW_PASSWORD_HINT}
          autoComplete="new-password"
          errors={result?.fields?.newPassword}
          required
        />
        <Button type="submit" busy={busy} className="self-start">
          {t("Change Password")}
        </Button>
      </div>
    </AccountForm>
  );
}
