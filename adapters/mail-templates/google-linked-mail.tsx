import { Text } from "@react-email/components";
import type { MailKinds } from "#core/mail/mail-templates.ts";
import { MailLayout, paragraph } from "./mail-layout.tsx";

export const googleLinkedSubject = "Google now opens your account too";

export function GoogleLinkedMail({ email }: MailKinds["google-linked"]) {
  return (
    <MailLayout title={googleLinkedSubject} preview="Your password still works.">
      <Text style={paragraph}>
        Somebody signed in with Google as {email} just now. From now on your account opens with Google as well
        as with your password.
      </Text>
      <Text style={paragraph}>
        Was it you? Then you need not do anything. If not, please change your password, sign out all other
        browsers on your account page, and contact support.
      </Text>
    </MailLayout>
  );
}
