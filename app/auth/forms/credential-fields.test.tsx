import { isValidElement, type ReactNode } from "react";
import { afterEach, expect, test } from "vitest";
import { PASSWORD_MAXIMUM, PASSWORD_TOO_LONG } from "#core/accounts/rules.ts";
import hindi from "#languages/hi/screens.json" with { type: "json" };
import type { Language } from "#languages/languages.ts";
import { messageForCode } from "../../errors/error-messages.ts";
import { addCatalogue, followLanguage } from "../../ui/texts/texts.ts";
import { withSignInLink } from "./credential-fields.tsx";

addCatalogue("hi", hindi);
afterEach(() => followLanguage(() => "en"));

/** The text of the link in the message, or nothing. */
function linkIn(message: string): string[] {
  const links: string[] = [];
  const shown: ReactNode = withSignInLink(message, (text) => {
    links.push(text);
    return <a href="/">{text}</a>;
  });
  expect(isValidElement(shown)).toBe(links.length > 0);
  return links;
}

test.each<[Language, string]>([
  ["en", "Try signing in instead"],
  ["hi", "साइन इन करके देखें"],
])("the page in '%s' has the link '%s' in the message about an email in use, and in no other message", (language, link) => {
  followLanguage(() => language);
  expect(linkIn(messageForCode("email-in-use"))).toEqual([link]);
  expect(linkIn(messageForCode("invalid-email"))).toEqual([]);
});

test("the message about a long password names the maximum", () => {
  expect(PASSWORD_TOO_LONG).toContain(` ${PASSWORD_MAXIMUM} `);
});
