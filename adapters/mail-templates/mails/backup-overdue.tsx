import { becauseOfOwner, MailLayout, Paragraph, SmallPrint, StrongButton } from "../mail-layout.tsx";
import { mailTemplate } from "../mail-template.tsx";

export const backupOverdue = mailTemplate({
  kind: "backup-overdue",
  subject: () => "Your shop has no recent backup",
  example: ({ shop, dateIn }) => ({
    lastAt: dateIn(-2),
    reason: "The disk is full.",
    adminUrl: `${shop.origin}/admin/settings`,
  }),
  Mail({ facts, shop, texts, subject }) {
    const { lastAt, reason, adminUrl } = facts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview={lastAt === null ? "There is no verified backup yet." : `The last one is from ${lastAt}.`}
        because={becauseOfOwner(shop)}
      >
        <Paragraph>
          {shop.name} makes a backup every night, but none has succeeded in the last 48 hours.{" "}
          {lastAt === null
            ? "There is no verified backup yet. If the disk failed now, everything would be lost."
            : `The last verified backup is from ${lastAt}. If the disk failed now, everything since then would be lost.`}
        </Paragraph>
        {reason === null ? null : <Paragraph>The last attempt failed: {reason}</Paragraph>}
        <StrongButton href={adminUrl}>Open Backups</StrongButton>
        <SmallPrint>We’ll email you again in 48 hours if there is still none.</SmallPrint>
      </MailLayout>
    );
  },
});
