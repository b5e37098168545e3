import type { ReactElement } from "react";
import type { ExampleDetails, MailKind, MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import type { Language } from "#db/tables/accounts.ts";
import { type HindiTexts, type MailTexts, SHARED_HINDI, type SharedText, textsIn } from "./mail-texts.ts";

export const EXAMPLE_TOOL = "Example Tool";
export const EXAMPLE_BUYER = "buyer@example.com";

/** All that a kind of mail is made of. */
interface MailTemplateParts<Kind extends MailKind, Hindi extends HindiTexts> {
  kind: Kind;
  /** The Hindi of the texts that only this mail has. A mail to the owner has none, because it is in English only. */
  hindi: Hindi;
  subject(facts: MailKinds[Kind], texts: MailTexts<SharedText | keyof Hindi>): string;
  /** Facts that are made up, for the preview in the admin area. */
  example(details: ExampleDetails): MailKinds[Kind];
  Mail(props: {
    facts: MailKinds[Kind];
    shop: ShopFacts;
    texts: MailTexts<SharedText | keyof Hindi>;
    /** For a mail whose title is its subject. */
    subject: string;
  }): ReactElement;
}

export interface MailTemplate<Kind extends MailKind> {
  kind: Kind;
  hindi: HindiTexts;
  example(details: ExampleDetails): MailKinds[Kind];
  fill(facts: MailKinds[Kind], shop: ShopFacts, language: Language): FilledMail;
}

export interface FilledMail {
  subject: string;
  element: ReactElement;
}

/** One kind of mail, whose texts are checked against its Hindi ones by the compiler. */
export function mailTemplate<Kind extends MailKind, const Hindi extends HindiTexts>({
  kind,
  hindi,
  subject: subjectOf,
  example,
  Mail,
}: MailTemplateParts<Kind, Hindi>): MailTemplate<Kind> {
  const allHindi = { ...SHARED_HINDI, ...hindi };
  return {
    kind,
    hindi,
    example,
    fill(facts, shop, language) {
      const texts = textsIn<SharedText | keyof Hindi>(language, allHindi);
      const subject = subjectOf(facts, texts);
      return { subject, element: <Mail facts={facts} shop={shop} texts={texts} subject={subject} /> };
    },
  };
}
