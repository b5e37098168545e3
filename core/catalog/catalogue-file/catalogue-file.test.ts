import fc from "fast-check";
import { expect, test } from "vitest";
import {
  canva,
  code,
  coupon,
  credential,
  free,
  option,
  parseWith,
  problemsOf,
} from "#tests/fixtures/catalogue-file-samples.ts";
import { parseCatalogueFile } from "./catalogue-file.ts";

test("parsing a catalogue file converts rupees to paise, sorts options, and takes an absent price and validity from the cheapest option", () => {
  const long = { label: "90 Days", validityDays: 90, price: 329 };
  const week = { label: "7 Days", validityDays: 7, price: 49.5, originalPrice: 149 };
  const [tool] = parseWith({ tools: [{ ...canva, pricingOptions: [long, option, week] }] }).tools;
  expect(tool).toMatchObject({ pricePaise: 4950, originalPricePaise: 14900, validityDays: 7 });
  expect(tool?.pricingOptions).toEqual([
    { label: "7 Days", validityDays: 7, pricePaise: 4950, originalPricePaise: 14900 },
    { label: "30 Days", validityDays: 30, pricePaise: 11900, originalPricePaise: 49900 },
    { label: "90 Days", validityDays: 90, pricePaise: 32900, originalPricePaise: null },
  ]);
});

test("a price beside the options of a catalogue file is not used, and a single option is the tool's own price", () => {
  const month = { pricePaise: 11900, originalPricePaise: 49900, validityDays: 30 };
  const week = { label: "7 Days", validityDays: 7, price: 149 };
  const [several, single] = parseWith({
    tools: [
      { ...canva, price: 5, validityDays: 1, pricingOptions: [option, week] },
      { ...free, price: 5, validityDays: 1, pricingOptions: [option] },
    ],
  }).tools;
  expect(several).toMatchObject(month);
  expect(several?.pricingOptions).toHaveLength(2);
  expect(single).toMatchObject({ ...month, pricingOptions: [] });
});

test("parsing a catalogue file fills in the defaults of absent fields", () => {
  const file = parseWith({ accessCodes: [code], credentials: [credential], coupons: [coupon] });
  expect(file.store).toEqual({ name: "Shop", claims: {}, supportPhones: [] });
  expect(file.tools[0]).toMatchObject({
    isActive: true,
    contactOnly: false,
    availableStock: 0,
    category: "other",
    badge: null,
  });
  expect(file.pages).toEqual([]);
  expect(file.accessCodes[0]).toEqual({ ...code, perBuyer: false, isActive: true });
  expect(file.coupons[0]).toEqual({ ...coupon, usageLimit: null, expiresAt: null, isActive: true });
});

test("a tool without options keeps its own price and validity; with the price 0 it is free", () => {
  expect(parseWith({ tools: [free] }).tools[0]).toMatchObject({
    pricePaise: 0,
    originalPricePaise: null,
    validityDays: 30,
  });
});

test("parsing a catalogue file trims features and removes duplicates, upper-cases coupon codes, and applies the offset of a time", () => {
  const file = parseWith({
    tools: [{ ...canva, features: [" Templates", "Templates ", "Photos"] }],
    coupons: [{ ...coupon, code: "welcome20", expiresAt: "2027-03-31T23:59:59+05:30" }],
  });
  expect(file.tools[0]?.features).toEqual(["Templates", "Photos"]);
  expect(file.coupons[0]).toMatchObject({ code: "WELCOME20", expiresAt: new Date("2027-03-31T18:29:59Z") });
});

test.each([
  ["Box <One@Example.com>", "one@example.com"],
  ["mailto:two@example.com", "two@example.com"],
  ["box@उदाहरण.भारत", "box@xn--p1b6ci4b4b3a.xn--h2brj9c"],
  ["Three@Example.com", "Three@Example.com"],
])("the address %j of a credential is read as %j", (email, read) => {
  expect(parseWith({ credentials: [{ ...credential, email }] }).credentials[0]).toMatchObject({
    email: read,
  });
});

test("every amount of whole paise in a catalogue file is read exactly", () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 1_000_000_000 }), (paise) => {
      const [tool] = parseWith({
        tools: [{ ...canva, pricingOptions: [{ ...option, price: paise / 100, originalPrice: 1e7 }] }],
      }).tools;
      expect(tool?.pricePaise).toBe(paise);
    }),
    { numRuns: 300 },
  );
});

test("the mistakes of a catalogue file are reported all at once, with their lines, in the order of the file", () => {
  const tools = [
    { ...canva, name: "" },
    { ...free, price: "0" },
  ];
  const sections = { store: { name: "Shop" }, tools, coupons: [{ ...coupon, toolSlug: "gone" }] };
  const text = JSON.stringify(sections, null, 2);
  const line = (words: string) => text.slice(0, text.indexOf(words)).split("\n").length;
  expect(problemsOf(() => parseCatalogueFile(text))).toEqual([
    `line ${line('"name": ""')}, tools[0] "canva": name must not be empty`,
    `line ${line('"price": "0"')}, tools[1] "free": price must be rupees as a number such as 149 or 149.50, without quotes`,
    `line ${line('"gone"')}, coupons[0] "WELCOME20": toolSlug must be the slug of a tool of this file, "gone" is none`,
  ]);
});

test("a mistake in a tool is reported only once when other entries refer to the tool", () => {
  const problems = problemsOf(() =>
    parseWith({ tools: [{ ...canva, name: "" }], accessCodes: [code], coupons: [coupon] }),
  );
  expect(problems).toHaveLength(1);
});

test("a catalogue file that is not valid JSON is reported with line and column", () => {
  expect(problemsOf(() => parseCatalogueFile('{\n  "store": ,\n}'))).toEqual([
    "line 2, column 12: a value is expected, and no comma after the last entry (not valid JSON)",
  ]);
  expect(problemsOf(() => parseCatalogueFile("[]"))).toEqual(["line 1: the file must be one object in { }"]);
});

test("a list with too many entries is refused before any of them is checked", () => {
  const problems = problemsOf(() => parseWith({ coupons: Array.from({ length: 20_001 }, () => ({})) }));
  expect(problems).toEqual([expect.stringMatching(/^line \d+, coupons has more than 20000 entries$/)]);
});

test("the report of mistakes quotes no access code and no password", () => {
  const bad = () =>
    parseWith({
      accessCodes: [code, code, { ...code, toolSlug: "x" }],
      credentials: [{ ...credential, email: "SECRET-3", extra: "SECRET-4" }],
    });
  expect(problemsOf(bad).join()).not.toMatch(/SECRET/);
});
