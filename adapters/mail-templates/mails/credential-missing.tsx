import { MailLayout, Paragraph, SmallPrint, StrongButton } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const credentialMissing = mailTemplate({
  kind: "credential-missing",
  subject: ({ toolName }) => `Buyers of ${toolName} get no sign-in`,
  example: ({ shop }) => ({
    toolName: EXAMPLE_TOOL,
    isAmbiguous: false,
    adminUrl: `${shop.origin}/admin/credentials`,
  }),
  Mail({ facts, shop, texts, subject }) {
    const { toolName, isAmbiguous, adminUrl } = facts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview={isAmbiguous ? "Several credentials fit." : "There is no active credential."}
        because={`You’re getting this email because you manage the tools at ${shop.name}.`}
      >
        <Paragraph>
          The page of {toolName} offers an email and a password, but buyers with a pass can’t get them.{" "}
          {isAmbiguous
            ? "Several credentials fit this tool, so none is shown. Please choose one in the tool’s form."
            : "No active credential fits this tool. Please activate or add one, or choose another in the tool’s form."}
        </Paragraph>
        <StrongButton href={adminUrl}>Open the credentials</StrongButton>
        <SmallPrint>We won’t email you about this tool again until it has a sign-in.</SmallPrint>
      </MailLayout>
    );
  },
});
