import type { MyAccount } from "#core/accounts/profile/read-my-account.server.ts";
import { ResetIntro, ResetRequested } from "../../auth/forms/reset-requested.tsx";
import { Button } from "../../ui/button.tsx";
import { useShared } from "../../use-shared.ts";
import { AccountForm, FormOutcome, useIsSending } from "./account-form.tsx";
import { type AccountResult, resultOf } from "./account-result.ts";
import { AccountSection } from "./account-section.tsx";
import { GoogleConnection } from "./google-connection.tsx";
import { PasswordForm } from "./password-form.tsx";

/** How the account is opened: by a password, by Google, or by both. */
export function PasswordSection(props: { account: MyAccount; result: AccountResult | undefined }) {
  const { account, result } = props;
  const { hasPassword, hasGoogle } = account;
  return (
    <AccountSection
      id="password"
      title={hasGoogle ? "Password and Google" : "Password"}
      about={
        hasPassword
          ? "Changing your password signs you out of every other browser and disconnects the extension on every device."
          : "You sign in with Google. Your account has no password."
      }
    >
      <div className="flex max-w-96 flex-col gap-6">
        {hasPassword ? <PasswordForm result={resultOf(result, "password")} /> : null}
        {hasPassword ? null : <SetPassword email={account.email} result={resultOf(result, "reset")} />}
        {hasPassword ? (
          <GoogleConnection
            isConnected={hasGoogle}
            isAdmin={account.provider === "admin"}
            isVerified={account.emailVerified}
          />
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
          Would you like to sign in with a password as well? We’ll send a link to{" "}
          <span className="wrap-anywhere font-medium">{email}</span>.
        </p>
      ) : (
        <ResetIntro />
      )}
      <Button type="submit" busy={busy} className="self-start">
        Send a Link to Set a Password
      </Button>
    </AccountForm>
  );
}
