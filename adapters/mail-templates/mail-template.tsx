import type { ReactElement } from "react";
import type { ExampleDetails, MailKind, MailKinds, ShopFacts } from "#core/mail/mail-templates.ts";
import type { Language } from "#languages/languages.ts";
import { type MailTexts, textsIn } from "./mail-texts.ts";

export const EXAMPLE_TOOL = "Example Tool";
export const EXAMPLE_BUYER = "buyer@example.com";

/** All that a kind of mail is made of. A mail to the owner uses no `texts`, because it is in English only. */
interface MailTemplateParts<Kind extends MailKind> {
  kind: Kind;
  subject(facts: MailKinds[Kind], texts: MailTexts): string;
  /** Facts that are made up, for the preview in the admin area. */
  example(details: ExampleDetails): MailKinds[Kind];
  Mail(props: {
    facts: MailKinds[Kind];
    shop: ShopFacts;
    texts: MailTexts;
    /** For a mail whose title is its subject. */
    subject: string;
  }): ReactElement;
}

export interface MailTemplate<Kind extends MailKind> {
  kind: Kind;
  example(details: ExampleDetails): MailKinds[Kind];
  fill(facts: MailKinds[Kind], shop: ShopFacts, language: Language): FilledMail;
}

export interface FilledMail {
  subject: string;
  element: ReactElement;
}

export function mailTemplate<Kind extends MailKind>({
  kind,
  subject: subjectOf,
  example,
  Mail,
}: MailTemplateParts<Kind>): MailTemplate<Kind> {
  return {
    kind,
    example,
    fill(facts, shop, language) {
      const texts = textsIn(language);
      const subject = subjectOf(facts, texts);
      return { subject, element: <Mail facts={facts} shop={shop} texts={texts} subject={subject} /> };
    },
  };
}
