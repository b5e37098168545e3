import { becauseOfOwner, MailLayout, Paragraph, StrongButton } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const codesUsedUp = mailTemplate({
  kind: "codes-used-up",
  subject: ({ toolName, serverName }) => `No codes left for ${toolName}, ${serverName}`,
  example: ({ shop }) => ({
    toolName: EXAMPLE_TOOL,
    serverName: "Server 1",
    codesUrl: `${shop.origin}/admin/access-codes`,
  }),
  Mail({ facts, shop, texts }) {
    const { toolName, serverName, codesUrl } = facts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={`No codes left for ${toolName}`}
        preview={`A buyer with a pass is waiting for a code for ${serverName}.`}
        because={becauseOfOwner(shop)}
      >
        <Paragraph>
          A buyer with a pass for {toolName} asked for a code for {serverName}, but every code is in use. Once
          you add codes, the buyer can get one.
        </Paragraph>
        <StrongButton href={codesUrl}>Add access codes</StrongButton>
        <Paragraph>We email you about each server at most once a day.</Paragraph>
      </MailLayout>
    );
  },
});
