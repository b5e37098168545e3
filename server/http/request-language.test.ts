import { expect, test } from "vitest";
import { languageOf } from "./request-language.ts";

test.each([
  ["no header", {}, "en"],
  ["a phone in Hindi", { "accept-language": "hi-IN,hi;q=0.9,en-IN;q=0.8,en;q=0.7" }, "hi"],
  ["a phone in English whose owner reads Hindi too", { "accept-language": "en-IN,en;q=0.9,hi;q=0.8" }, "en"],
  ["a language that the shop does not have, before Hindi", { "accept-language": "xx-IN,hi;q=0.5" }, "hi"],
  ["only languages that the shop does not have", { "accept-language": "xx-IN,xx;q=0.9" }, "en"],
  ["an order by the weights", { "accept-language": "en;q=0.3,hi;q=0.8" }, "hi"],
  ["the language that was chosen", { cookie: "a=b; daypass.language=en", "accept-language": "hi" }, "en"],
  ["Hindi that was chosen", { cookie: "daypass.language=hi; a=b", "accept-language": "en" }, "hi"],
  ["an unknown choice", { cookie: "daypass.language=xx", "accept-language": "hi" }, "hi"],
  ["another cookie whose name ends the same", { cookie: "xdaypass.language=hi" }, "en"],
  ["a language that is not wanted", { "accept-language": "hi;q=0, xx" }, "en"],
  ["a longer name at the end of what is read", { "accept-language": `${"x,".repeat(49)}hil` }, "en"],
  ["a header of any length", { "accept-language": `${"xx,".repeat(5_000)}hi` }, "en"],
] as const)("the language of a request with %s", (_what, headers, language) => {
  expect(languageOf(headers)).toBe(language);
});
