import { Body, Container, Head, Heading, Html, Preview, Text } from "@react-email/components";
import type { ReactNode } from "react";

const INK = "#15171C";
const MUTED = "#5A5F6B";
const FONT = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export const paragraph = { color: INK, fontSize: "15px", lineHeight: "1.5", margin: "0 0 16px" };

export const button = {
  backgroundColor: INK,
  borderRadius: "10px",
  color: "#FFFFFF",
  display: "inline-block",
  fontSize: "15px",
  fontWeight: 600,
  marginBottom: "16px",
  padding: "12px 20px",
};

/** The layout of every mail: one column. `preview` is shown in the list of mails. */
export function MailLayout({
  title,
  preview,
  children,
}: {
  title: string;
  preview: string;
  children: ReactNode;
}) {
  return (
    <Html lang="en">
      <Head />
      <Preview>{preview}</Preview>
      <Body style={{ backgroundColor: "#FAF9F6", fontFamily: FONT, margin: 0, padding: "24px 12px" }}>
        <Container
          style={{
            backgroundColor: "#FFFFFF",
            border: "1px solid #E6E3DB",
            borderTop: "4px solid #F4A921",
            borderRadius: "14px",
            maxWidth: "480px",
            padding: "28px 24px 12px",
          }}
        >
          <Heading
            as="h1"
            style={{
              color: INK,
              fontSize: "21px",
              fontWeight: 650,
              letterSpacing: "-0.02em",
              margin: "0 0 16px",
            }}
          >
            {title}
          </Heading>
          {children}
        </Container>
        <Container style={{ maxWidth: "480px" }}>
          <Text style={{ color: MUTED, fontSize: "13px", margin: "16px 24px 0" }}>
            You get this mail because your address has an account with us.
          </Text>
        </Container>
      </Body>
    </Html>
  );
}
