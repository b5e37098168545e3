import { Column, Row, Section } from "@react-email/components";
import { isNamedByDays } from "#core/checkout/pricing.ts";
import { type ReceiptFacts, receiptSubject } from "#core/mail/mail-templates.ts";
import { formatPaise } from "#core/money.ts";
import { NO_END } from "#core/time.ts";
import {
  INK,
  MailLayout,
  MUTED,
  Paragraph,
  SmallPrint,
  StrongButton,
  TestPurchase,
} from "../mail-layout.tsx";
import { EXAMPLE_TOOL, mailTemplate } from "../mail-template.tsx";
import type { MailTexts } from "../mail-texts.ts";

export const purchaseReceipt = mailTemplate({
  kind: "purchase-receipt",
  subject: (facts, { t }) => t(receiptSubject(facts), { tool: facts.toolName }),
  example: ({ shop, dateIn }) => ({
    toolName: EXAMPLE_TOOL,
    until: dateIn(30),
    toolUrl: shop.origin,
    orderNumber: "K7QM4XTP",
    from: null,
    optionLabel: "1 month",
    validityDays: 30,
    listPricePaise: 19_900,
    discountPaise: 5_000,
    couponCode: "EXAMPLE",
    amountPaise: 14_900,
    buyerFeePaise: 0,
    offerPaise: 0,
    paidAt: dateIn(0),
    testMode: false,
  }),
  Mail({ facts, shop, texts }) {
    const { toolName: tool, from, until, toolUrl, testMode } = facts;
    const { t } = texts;
    const amount = formatPaise(facts.amountPaise);
    return (
      <MailLayout
        shop={shop}
        texts={texts}
        title={t(
          until === null ? "Your receipt" : from === null ? "Your pass is ready" : "Your pass is renewed",
        )}
        preview={
          until === null
            ? t("{amount} for {tool}", { amount, tool })
            : until === NO_END
              ? t("{amount} for {tool}, access without an end", { amount, tool })
              : t("{amount} for {tool}, access until {until}", { amount, tool, until })
        }
        because={t("You’re getting this email because you bought a pass at {shop}.", { shop: shop.name })}
      >
        {testMode ? <TestPurchase texts={texts} /> : null}
        <Paragraph>
          {until === null
            ? t("Thank you for your purchase. Your pass for {tool} has since ended.", { tool })
            : until === NO_END
              ? t("Thank you for your purchase. Your pass for {tool} has no end.", { tool })
              : from === null
                ? t("Thank you for your purchase. You have access to {tool} until {until}.", { tool, until })
                : t("Thank you for your purchase. Your pass for {tool} now runs until {until}.", {
                    tool,
                    until,
                  })}
        </Paragraph>
        {until === null ? null : <StrongButton href={toolUrl}>{t("Open {tool}", { tool })}</StrongButton>}
        <FactsTable facts={linesOf(facts, texts)} />
        <SmallPrint>
          {t(
            "The pass doesn’t renew automatically, so you won’t be charged again. If you contact us about this purchase, please mention the order number.",
          )}
        </SmallPrint>
      </MailLayout>
    );
  },
});

function linesOf(facts: ReceiptFacts, { t }: MailTexts): Fact[] {
  const { optionLabel, validityDays, listPricePaise, discountPaise, couponCode } = facts;
  const { amountPaise, buyerFeePaise, offerPaise } = facts;
  const isPrice = discountPaise + buyerFeePaise + offerPaise === 0;
  const days = t(validityDays === 1 ? "{count} day" : "{count} days", { count: validityDays });
  return [
    { name: t("Order number"), value: facts.orderNumber },
    { name: t("Tool"), value: facts.toolName },
    { name: t("Pass"), value: isNamedByDays(facts) ? days : `${optionLabel} (${days})` },
    ...(isPrice ? [] : [{ name: t("Price"), value: formatPaise(listPricePaise) }]),
    ...(discountPaise > 0
      ? [
          {
            name: couponCode === null ? t("Discount") : t("Coupon {code}", { code: couponCode }),
            value: `−${formatPaise(discountPaise)}`,
          },
        ]
      : []),
    ...(buyerFeePaise > 0 ? [{ name: t("Payment fee"), value: formatPaise(buyerFeePaise) }] : []),
    ...(offerPaise > 0 ? [{ name: t("Offer at payment"), value: `−${formatPaise(offerPaise)}` }] : []),
    { name: t("Amount paid"), value: formatPaise(amountPaise), isStrong: true },
    { name: t("Date"), value: facts.paidAt },
    ...(facts.from === null ? [] : [{ name: t("Renewal starts"), value: facts.from }]),
    ...(facts.until === null
      ? []
      : facts.until === NO_END
        ? [{ name: t("Access"), value: t("No end"), isStrong: true }]
        : [{ name: t("Access until"), value: facts.until, isStrong: true }]),
  ];
}

const cell = { borderTop: "1px solid #E6E3DB", fontSize: "15px", lineHeight: "1.4", padding: "10px 0" };

interface Fact {
  name: string;
  value: string;
  isStrong?: boolean;
}

/** Facts as a table: names on the left, values on the right. */
function FactsTable({ facts }: { facts: readonly Fact[] }) {
  return (
    <Section className="facts" style={{ marginBottom: "20px" }}>
      {facts.map(({ name, value, isStrong = false }) => (
        <Row key={name} className="fact">
          <Column
            className="muted line name"
            style={{ ...cell, color: MUTED, paddingRight: "16px", verticalAlign: "top", width: "38%" }}
          >
            {name}
          </Column>
          <Column
            className="ink line value"
            style={{
              ...cell,
              color: INK,
              fontWeight: isStrong ? 650 : 400,
              textAlign: "right",
              verticalAlign: "top",
              wordBreak: "break-word",
            }}
          >
            {value}
          </Column>
        </Row>
      ))}
    </Section>
  );
}
