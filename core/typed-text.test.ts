import { expect, test } from "vitest";
import { emailAddress } from "./accounts/schemas.ts";
import { requiredText } from "./form-fields.ts";
import { listFields } from "./lists/paging.ts";
import { cleanText, normaliseEmail, searchedText, searchKey, searchProblem } from "./typed-text.ts";

test.each([
  "\u200b",
  "\u200f",
  "\u202e",
  "\u2060",
  "\u2066",
  "\ufeff",
  "\u00ad",
  "\u{e0020}",
])("the invisible character %j is in no address, name or search", (invisible) => {
  expect(normaliseEmail(`as${invisible}ha@exam${invisible}ple.com${invisible}`)).toBe("asha@example.com");
  expect(requiredText(9, "").parse(`${invisible}Can${invisible}va `)).toBe("Canva");
  expect(listFields(["name"]).q.parse(`can${invisible}va`)).toBe("canva");
});

test("joiners stay in a text, and are in no search key and no address", () => {
  expect(cleanText("क्\u200dष 👩\u200d💻 نامه\u200cای")).toBe("क्\u200dष 👩\u200d💻 نامه\u200cای");
  expect(searchKey("क्\u200dष Can\u200cVa")).toBe("क्ष canva");
  expect(searchedText("क्\u200dष Can\u200cVa")).toBe("क्ष CanVa");
  expect(normaliseEmail("as\u200dha@example.com")).toBe("asha@example.com");
});

test("a letter has one form, stored and searched", () => {
  const letters = ["\u095b\u0940", "\u091c\u093c\u0940"] as const;
  for (const make of [cleanText, searchKey, searchedText]) expect(make(letters[0])).toBe(make(letters[1]));
  expect(cleanText("Cafe\u0301")).toBe("Caf\u00e9");
});

test.each([
  ["Asha@Example.COM ", "asha@example.com"],
  ["mailto:asha@example.com", "asha@example.com"],
  ["MAILTO:Asha%40example.com?subject=Hello@you", "asha@example.com"],
  ["mailto:asha%2Bshop@example.com?subject=Hello", "asha+shop@example.com"],
  ["Rao, Asha <Asha@example.com>", "asha@example.com"],
  ["<mailto:asha@example.com>;", "asha@example.com"],
  ["आशा <asha@उदाहरण.भारत>", "asha@xn--p1b6ci4b4b3a.xn--h2brj9c"],
  ["asha@BÜCHER.example", "asha@xn--bcher-kva.example"],
  ["asha@bu\u0308cher.example", "asha@xn--bcher-kva.example"],
  ["asha@xn--bcher-kva.example", "asha@xn--bcher-kva.example"],
  ["asha@example。com", "asha@example.com"],
])("the typed address %j is stored as %j", (typed, stored) => {
  expect(normaliseEmail(typed)).toBe(stored);
  expect(normaliseEmail(stored)).toBe(stored);
});

test.each([
  "asha@exämple.com:80",
  "asha@exämple.com/path",
  "asha@ä b.com",
  "आशा@example.com",
  "asha@",
  "ä@",
])("the text %j is no email address", (typed) => expect(emailAddress.safeParse(typed).success).toBe(false));

test("an address in Devanagari is accepted", () => {
  expect(emailAddress.parse("asha@उदाहरण.भारत")).toBe("asha@xn--p1b6ci4b4b3a.xn--h2brj9c");
});

test("a search for a pasted address is one for the address, and any other keeps its letters", () => {
  expect(searchedText("Asha Rao <Asha@example.com>")).toBe("asha@example.com");
  expect(searchedText(" HIX\u200b AI ")).toBe("HIX AI");
});

test.each([
  ["", null],
  ["  ", null],
  ["a", null],
  ["🎨", null],
  ["\u200b", "invisible"],
  [" \u200d\0 ", "invisible"],
  ["x".repeat(500), null],
  [`${"x".repeat(500)}\u200b`, null],
  ["x".repeat(501), "too-long"],
])("what cannot be searched of %j is %j", (typed, problem) => expect(searchProblem(typed)).toBe(problem));

test("a pasted address has one @: an expression that allows more tries a long text from each of them", () => {
  for (const typed of ["asha <asha@shop@example.com>", "<@a@a@a>", "<a@a@a"])
    expect(normaliseEmail(typed)).toBe(typed);
});

test("a long text in the form of an address is read once, and not from each of its characters", () => {
  // As long as the body of a request. An expression that backtracks takes longer than a test may.
  for (const part of ["a@", "@a", "<", "a.", " ", "mailto:", "\u200b", "a>"])
    for (const start of ["<", "mailto:", "a <", ""]) {
      const typed = (start + part.repeat(64 * 1024)).slice(0, 64 * 1024);
      expect(emailAddress.safeParse(typed).success).toBe(false);
    }
});
