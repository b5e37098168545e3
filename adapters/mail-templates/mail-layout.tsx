import { Body, Button, Container, Head, Heading, Html, Link, Preview, Text } from "@react-email/components";
import { Fragment, type ReactNode } from "react";
import { chatUrl } from "#core/catalog/limits.ts";
import type { ShopFacts } from "#core/mail/mail-templates.ts";
import type { MailTexts } from "./mail-texts.ts";

const FONT = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/** Clients with a dark theme that read style sheets. All others show the inline styles. */
const DARK = `
@media (prefers-color-scheme: dark) {
  .page, .page > table > tbody > tr > td { background-color: #0F1115 !important; }
  .card { background-color: #171A21 !important; border-color: #272B34 !important; border-top-color: #F7B53C !important; }
  .ink { color: #F3F1EC !important; }
  .muted { color: #A3A8B4 !important; }
  .line { border-color: #272B34 !important; }
  .link { color: #F7B53C !important; }
  .strong { background-color: #F7B53C !important; color: #15171C !important; }
  .notice { background-color: #2A2415 !important; }
}`;

interface MailLayoutProps {
  shop: ShopFacts;
  texts: MailTexts;
  title: string;
  /** Shown after the subject in the list of mails. */
  preview: string;
  /** Why the person gets the mail: "You’re getting this email because …". */
  because: string;
  children: ReactNode;
}

/** The layout of every mail: one column with the shop's name, and how to reach the shop. */
export function MailLayout({ shop, texts, title, preview, because, children }: MailLayoutProps) {
  return (
    <Html lang={texts.language}>
      <Head>
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <style>{DARK}</style>
      </Head>
      <Preview>{preview}</Preview>
      <Body
        className="page"
        style={{ backgroundColor: "#FAF9F6", fontFamily: FONT, margin: 0, padding: "24px 12px" }}
      >
        <Container style={{ maxWidth: "520px" }}>
          <Text style={{ fontSize: "17px", fontWeight: 650, margin: "0 8px 12px" }}>
            <Link href={shop.origin} className="ink brand" style={{ color: INK, textDecoration: "none" }}>
              {shop.name}
            </Link>
          </Text>
        </Container>
        <Container
          className="card"
          style={{
            backgroundColor: "#FFFFFF",
            border: "1px solid #E6E3DB",
            borderTop: "4px solid #F4A921",
            borderRadius: "14px",
            maxWidth: "520px",
            padding: "28px 24px 12px",
          }}
        >
          <Heading
            as="h1"
            className="ink"
            style={{
              color: INK,
              fontSize: "21px",
              fontWeight: 650,
              letterSpacing: "-0.02em",
              lineHeight: "1.3",
              margin: "0 0 16px",
            }}
          >
            {title}
          </Heading>
          {children}
        </Container>
        <Container style={{ maxWidth: "520px" }}>
          <Text
            className="muted"
            style={{ color: MUTED, fontSize: "13px", lineHeight: "1.5", margin: "16px 8px 0" }}
          >
            {because} <ReachUs shop={shop} texts={texts} />
          </Text>
        </Container>
      </Body>
    </Html>
  );
}

/** How to reach the shop: its support chats and its contact page; its address when it has neither. */
function ReachUs({ shop, texts: { t, nodes } }: Pick<MailLayoutProps, "shop" | "texts">) {
  const { supportPhones, contactUrl, origin } = shop;
  const numbers = supportPhones.map(({ number }, at) => (
    <Fragment key={number}>
      {at === 0 ? null : ` ${t("or")} `}
      <MailLink href={chatUrl(number)}>{number}</MailLink>
    </Fragment>
  ));
  if (contactUrl === null && numbers.length > 0)
    return nodes("Need help? You can message us on WhatsApp at {numbers}.", { numbers });
  const [href, text] = contactUrl === null ? [origin, new URL(origin).host] : [contactUrl, t("contact page")];
  const link = (
    <MailLink key="link" href={href}>
      {text}
    </MailLink>
  );
  if (contactUrl === null) return nodes("You can reach us at {address}.", { address: link });
  if (numbers.length === 0) return nodes("Need help? You can see our {contactPage}.", { contactPage: link });
  return nodes("Need help? You can message us on WhatsApp at {numbers} or see our {contactPage}.", {
    numbers,
    contactPage: link,
  });
}

export const becauseOfOwner = (shop: ShopFacts) => `You’re getting this email because you run ${shop.name}.`;

export const becauseOfAccount = (shop: ShopFacts, { t }: MailTexts) =>
  t("You’re getting this email because you have an account at {shop}.", { shop: shop.name });

/** The colours of text in a light theme; the style sheet of the layout has the colours of a dark theme. */
export const INK = "#15171C";
export const MUTED = "#5A5F6B";

const paragraph = { color: INK, fontSize: "15px", lineHeight: "1.5", margin: "0 0 16px" };

export function Paragraph({ children }: { children: ReactNode }) {
  return (
    <Text className="ink" style={paragraph}>
      {children}
    </Text>
  );
}

/** Says that a payment of the test mode moved no money. */
export function TestPurchase({ texts: { t } }: { texts: MailTexts }) {
  return (
    <Text
      className="ink notice"
      style={{
        backgroundColor: "#FDF3DC",
        borderRadius: "10px",
        color: INK,
        fontSize: "15px",
        lineHeight: "1.5",
        margin: "0 0 16px",
        padding: "10px 14px",
      }}
    >
      <strong>{t("Test purchase.")}</strong> {t("No money was charged.")}
    </Text>
  );
}

/** Smaller text, below what matters. */
export function SmallPrint({ children }: { children: ReactNode }) {
  return (
    <Text className="muted" style={{ ...paragraph, color: MUTED, fontSize: "13px" }}>
      {children}
    </Text>
  );
}

/** The button of a mail, or of a part of it. */
export function StrongButton({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Button
      href={href}
      className="strong"
      style={{
        backgroundColor: INK,
        borderRadius: "10px",
        color: "#FFFFFF",
        display: "inline-block",
        fontSize: "15px",
        fontWeight: 600,
        marginBottom: "20px",
        padding: "13px 24px",
      }}
    >
      {children}
    </Button>
  );
}

export function MailLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="link" style={{ color: "#8A4D00", textDecoration: "underline" }}>
      {children}
    </Link>
  );
}
