import { Button, Link, Text } from "@react-email/components";
import type { ReactNode } from "react";

/** The colours of text in a light theme; the style sheet of the layout has those of a dark one. */
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

/** Smaller text, below what matters. */
export function SmallPrint({ children }: { children: ReactNode }) {
  return (
    <Text className="muted" style={{ ...paragraph, color: MUTED, fontSize: "13px" }}>
      {children}
    </Text>
  );
}

/** The one button of a mail. */
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
