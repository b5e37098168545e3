import { MailLayout, MailLink, Paragraph, SmallPrint, StrongButton } from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";

export const passEnding = mailTemplate({
  kind: "pass-ending",
  subject: ({ passes }, { t }) => {
    const [first] = passes;
    return first === undefined || passes.length > 1
      ? t("{count} of your passes end soon", { count: passes.length })
      : t("Your pass for {tool} ends soon", { tool: first.toolName });
  },
  example: ({ shop, dateIn }) => ({
    passes: [{ toolName: EXAMPLE_TOOL, until: dateIn(3), renewUrl: shop.origin }],
    stopUrl: shop.origin,
  }),
  Mail({ facts: { passes, stopUrl }, shop, texts, subject }) {
    const { t } = texts;
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={subject}
        preview={passes
          .map(({ toolName: tool, until }) => t("{tool}: until {until}", { tool, until }))
          .join(", ")}
        because={t("You’re getting this email because you have a pass at {shop}.", { shop: shop.name })}
      >
        {passes.map(({ toolName: tool, until, renewUrl }) => (
          <div key={`${tool} ${until}`}>
            <Paragraph>{t("Your pass for {tool} works until {until}.", { tool, until })}</Paragraph>
            {renewUrl === null ? null : (
              <StrongButton href={renewUrl}>{t("Renew {tool}", { tool })}</StrongButton>
            )}
          </div>
        ))}
        {passes.some(({ renewUrl }) => renewUrl !== null) ? (
          <Paragraph>
            {t(
              "A renewal adds its days to the end of your pass. Nothing renews, and nothing is charged, by itself.",
            )}
          </Paragraph>
        ) : null}
        <SmallPrint>
          <MailLink href={stopUrl}>{t("Don’t remind me any more")}</MailLink>
        </SmallPrint>
      </MailLayout>
    );
  },
});
