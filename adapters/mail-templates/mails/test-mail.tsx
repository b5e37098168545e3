import { MailLayout, Paragraph } from "../mail-layout.tsx";
import { mailTemplate } from "../mail-template.tsx";

export const testMail = mailTemplate({
  kind: "test-mail",
  subject: () => "Test email from your shop",
  example: ({ dateIn }) => ({ sentAt: dateIn(0) }),
  Mail({ facts, shop, texts, subject }) {
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview="Your shop can send email."
        because={`You’re getting this email because you asked ${shop.name} for a test email.`}
      >
        <Paragraph>
          You asked for this email in the admin area on {facts.sentAt}. It arrived, so receipts, password
          resets and refund notices reach your buyers too.
        </Paragraph>
        <Paragraph>If it was in your spam folder, check the SPF and DKIM records of your domain.</Paragraph>
      </MailLayout>
    );
  },
});
