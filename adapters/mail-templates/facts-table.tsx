import { Column, Row, Section } from "@react-email/components";
import { INK, MUTED } from "./mail-text.tsx";

const cell = { borderTop: "1px solid #E6E3DB", fontSize: "15px", lineHeight: "1.4", padding: "10px 0" };

export interface Fact {
  name: string;
  value: string;
  isStrong?: boolean;
}

/** Facts as a table: names on the left, values on the right. */
export function FactsTable({ facts }: { facts: readonly Fact[] }) {
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
