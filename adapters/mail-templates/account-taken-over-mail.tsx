import { Text } from "@react-email/components";
import type { MailKinds } from "#core/mail/mail-templates.ts";
import { MailLayout, paragraph } from "./mail-layout.tsx";

export const accountTakenOverSubject = "Your account now opens with Google";

export function AccountTakenOverMail({ email }: MailKinds["account-taken-over"]) {
  return (
    <MailLayout title={accountTakenOverSubject} preview="Its old password no longer works.">
      <Text style={paragraph}>
        You signed in with Google as {email}. There already was an account with this address, but nobody had
        ever confirmed that the address was theirs. Google has confirmed that it is yours, so the account is
        now yours alone.
      </Text>
      <Text style={paragraph}>
        For your safety we removed its old password and signed out every browser and extension that used it.
        Your passes are still there.
      </Text>
      <Text style={paragraph}>
        Would you like a password as well? Choose “Forgot password?” where you sign in. If you did not sign in
        with Google, please contact support.
      </Text>
    </MailLayout>
  );
}
