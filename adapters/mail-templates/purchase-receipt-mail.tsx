import { Column, Row, Section, Text } from "@react-email/components";
import { isNamedByDays } from "#core/checkout/pricing.ts";
import type { ReceiptFacts, ShopFacts } from "#core/mail/mail-templates.ts";
import { formatPaise } from "#core/money.ts";
import { formatDays } from "#core/time.ts";
import { INK, MailLayout, MUTED, Paragraph, SmallPrint, StrongButton } from "./mail-layout.tsx";

export function PurchaseReceiptMail({ facts, shop }: { facts: ReceiptFacts; shop: ShopFacts }) {
  const { toolName, from, until, toolUrl, testMode, amountPaise } = facts;
  const isOver = until === null;
  return (
    <MailLayout
      shop={shop}
      title={isOver ? "Your receipt" : from === null ? "Your pass is ready" : "Your pass is renewed"}
      preview={`${formatPaise(amountPaise)} for ${toolName}${isOver ? "" : `, access until ${until}`}`}
      because={`you bought a pass at ${shop.name}`}
    >
      {testMode ? <TestPurchase /> : null}
      <Paragraph>
        {isOver
          ? `Thank you for your purchase. Your pass for ${toolName} has since ended.`
          : from === null
            ? `Thank you for your purchase. You have access to ${toolName} until ${until}.`
            : `Thank you for your purchase. Your pass for ${toolName} now runs until ${until}.`}
      </Paragraph>
      {isOver ? null : <StrongButton href={toolUrl}>Open {toolName}</StrongButton>}
      <FactsTable facts={linesOf(facts)} />
      <SmallPrint>
        The pass doesn’t renew automatically, so you won’t be charged again. If you contact us about this
        purchase, please mention the order number.
      </SmallPrint>
    </MailLayout>
  );
}

function TestPurchase() {
  return (
    <Text
      className="ink notice"
      style={{
        backgroundColor: "#FDF3DC",
        borderRadius: "10px",
        color: "#15171C",
        fontSize: "15px",
        lineHeight: "1.5",
        margin: "0 0 16px",
        padding: "10px 14px",
      }}
    >
      <strong>Test purchase.</strong> No money was charged.
    </Text>
  );
}

function linesOf(facts: ReceiptFacts): Fact[] {
  const { optionLabel, validityDays, listPricePaise, discountPaise, couponCode, amountPaise } = facts;
  const days = formatDays(validityDays);
  return [
    { name: "Order number", value: facts.orderNumber },
    { name: "Tool", value: facts.toolName },
    { name: "Pass", value: isNamedByDays(facts) ? days : `${optionLabel} (${days})` },
    ...(discountPaise > 0
      ? [
          { name: "Price", value: formatPaise(listPricePaise) },
          {
            name: couponCode === null ? "Discount" : `Coupon ${couponCode}`,
            value: `−${formatPaise(discountPaise)}`,
          },
        ]
      : []),
    { name: "Amount paid", value: formatPaise(amountPaise), isStrong: true },
    { name: "Date", value: facts.paidAt },
    ...(facts.from === null ? [] : [{ name: "Renewal starts", value: facts.from }]),
    ...(facts.until === null ? [] : [{ name: "Access until", value: facts.until, isStrong: true }]),
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
