import { MailLayout, Paragraph, SmallPrint, StrongButton } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const codeReported = mailTemplate({
  kind: "code-reported",
  subject: ({ toolName, serverName }) => `Reported: the code for ${serverName} of ${toolName}`,
  example: ({ shop }) => ({
    toolName: EXAMPLE_TOOL,
    serverName: "Server 1",
    adminUrl: `${shop.origin}/admin/access-codes`,
  }),
  Mail({ facts, shop, texts }) {
    const { toolName, serverName, adminUrl } = facts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title="A buyer reports a code that doesn’t work"
        preview={`${serverName} of ${toolName}`}
        because={`You’re getting this email because you manage the tools at ${shop.name}.`}
      >
        <Paragraph>
          A buyer says that the access code for {serverName} of {toolName} doesn’t work. Please check it. When
          you replace it, its buyers get the new code.
        </Paragraph>
        <StrongButton href={adminUrl}>Open the access codes</StrongButton>
        <SmallPrint>
          More reports of this code are counted in the admin area. We won’t email you about it again until the
          code changes.
        </SmallPrint>
      </MailLayout>
    );
  },
});
