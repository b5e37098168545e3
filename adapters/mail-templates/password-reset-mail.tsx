import { Button, Link, Text } from "@react-email/components";
import type { MailKinds } from "#core/mail/mail-templates.ts";
import { button, MailLayout, paragraph } from "./mail-layout.tsx";

export const passwordResetSubject = "Set a new password";

export function PasswordResetMail({ resetUrl, validMinutes }: MailKinds["password-reset"]) {
  return (
    <MailLayout title="Set a new password" preview={`The link works once, for ${validMinutes} minutes.`}>
      <Text style={paragraph}>
        You asked for a new password. The link below works once, for {validMinutes} minutes.
      </Text>
      <Button href={resetUrl} style={button}>
        Set a new password
      </Button>
      <Text style={{ ...paragraph, fontSize: "13px", wordBreak: "break-all" }}>
        If the button does not open, use this address:
        <br />
        <Link href={resetUrl} style={{ color: "#8A4D00" }}>
          {resetUrl}
        </Link>
      </Text>
      <Text style={paragraph}>
        If you did not ask for it, you need not do anything: your password stays as it is.
      </Text>
    </MailLayout>
  );
}
