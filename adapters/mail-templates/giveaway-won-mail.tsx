import { Button, Text } from "@react-email/components";
import type { MailKinds } from "#core/mail/mail-templates.ts";
import { button, MailLayout, paragraph } from "./mail-layout.tsx";

type Facts = MailKinds["giveaway-won"];

export const giveawayWonSubject = ({ toolName }: Facts) => `You won today's giveaway: ${toolName}`;

export function GiveawayWonMail({ toolName, until, toolUrl }: Facts) {
  return (
    <MailLayout title={`Your free pass for ${toolName}`} preview={`It is ready and runs until ${until}.`}>
      <Text style={paragraph}>
        You were the first to claim today's giveaway. Your free pass for {toolName} is ready and runs until{" "}
        {until}.
      </Text>
      <Button href={toolUrl} style={button}>
        Open {toolName}
      </Button>
      <Text style={paragraph}>There is nothing to pay, and the pass does not renew by itself.</Text>
    </MailLayout>
  );
}
