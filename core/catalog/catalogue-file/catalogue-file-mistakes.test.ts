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
  withOption,
  withTool,
} from "#tests/fixtures/catalogue-file-samples.ts";

test("a store name with a line break is a mistake", () => {
  expect(problemsOf(() => parseWith({ store: { name: "My\nshop" } })).join()).toContain(
    "store.name must be one line",
  );
});

test.each([
  ["a price in quotes", withOption({ price: "119" }), "pricingOptions[0].price must be rupees as a number"],
  [
    "three decimals",
    withOption({ price: 119.005 }),
    "pricingOptions[0].price must have at most two decimals",
  ],
  ["a price below ₹1", withOption({ price: 0.5 }), "pricingOptions[0].price must be at least 1 rupee"],
  ["an option that is free", withOption({ price: 0 }), "pricingOptions[0].price must be at least 1 rupee"],
  ["a huge price", withOption({ price: 1e12 }), "pricingOptions[0].price must be at most"],
  [
    "an original price below the price",
    withOption({ originalPrice: 100 }),
    "pricingOptions[0].originalPrice must not be below price",
  ],
  [
    "a validity of half a day",
    withOption({ validityDays: 1.5 }),
    "pricingOptions[0].validityDays must be a whole number from 1",
  ],
  ["an option without a label", withOption({ label: undefined }), "pricingOptions[0].label is missing"],
  [
    "two options with the same validity",
    withTool({ pricingOptions: [option, { ...option, label: "Month" }] }),
    "pricingOptions[1].validityDays is used by another option",
  ],
  [
    "two options with the same label",
    withTool({ pricingOptions: [option, { ...option, validityDays: 31 }] }),
    "pricingOptions[1].label is used by another option",
  ],
  ["no price", withTool({ pricingOptions: [], validityDays: 7 }), "price is missing"],
  ["no validity", withTool({ pricingOptions: [], price: 7 }), "validityDays is missing"],
  [
    "a negative price",
    withTool({ pricingOptions: [], price: -1, validityDays: 7 }),
    "price must not be negative",
  ],
  [
    "an original price below the tool's price",
    withTool({ pricingOptions: [], price: 9, originalPrice: 8, validityDays: 7 }),
    "originalPrice must not be below price",
  ],
  [
    "a free tool that is sold by contact only",
    withTool({ pricingOptions: [], price: 0, validityDays: 7, contactOnly: true }),
    "contactOnly must be false for a free tool",
  ],
  ["too many features", withTool({ features: Array(51).fill("A") }), "features must list at most 50"],
  ["a blank feature", withTool({ features: ["  "] }), "features[0] must not be empty"],
  [
    "an unknown place where it works",
    withTool({ worksOn: ["tablet"] }),
    "worksOn[0] must be one of: phone, laptop, extension",
  ],
  ["four steps of use", withTool({ howToUse: ["a", "b", "c", "d"] }), "howToUse must list at most 3"],
  [
    "a long step of use",
    withTool({ howToUse: ["x".repeat(201)] }),
    "howToUse[0] must be at most 200 characters long",
  ],
  [
    "no servers",
    withTool({ servers: [] }),
    "servers must list at least one server, or credentialService be given, so that a pass opens something",
  ],
  [
    "two servers with the same name",
    withTool({
      servers: [
        { id: "a", name: "A" },
        { id: "b", name: "A" },
      ],
    }),
    "servers[1].name is used by another server",
  ],
  [
    "a server with an ftp address",
    withTool({ servers: [{ id: "a", name: "A", url: "ftp://example.com" }] }),
    "servers[0].url must be an address that starts with https:// or http://",
  ],
  [
    "a javascript address",
    withTool({ servers: [{ id: "a", name: "A", url: "javascript:alert(1)" }] }),
    "servers[0].url must be an address",
  ],
  ["negative stock", withTool({ availableStock: -1 }), "availableStock must be a whole number from 0"],
  ["a text instead of true or false", withTool({ isActive: "yes" }), "isActive must be true or false"],
  ["an unknown key", withTool({ prise: 5 }), 'unknown key "prise"'],
  ["an unknown key of an option", withOption({ days: 30 }), 'unknown key "days" in pricingOptions[0]'],
])("a tool with %s is reported with its index, slug and field", (_name, parse, message) => {
  const problems = problemsOf(parse);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`tools[0] "canva": ${message}`);
});

test.each([
  "Canva",
  "can va",
  "-canva",
  "can--va",
  "../canva",
  "",
])("the slug %j of a tool is reported as a mistake", (slug) => {
  expect(problemsOf(withTool({ slug }))[0]).toMatch(/slug must/);
});

test.each([
  [
    "two tools with the same slug",
    { tools: [canva, { ...free, slug: "canva" }] },
    'tools[1] "canva": slug is already used by tools[0]',
  ],
  [
    "two tools with the same name",
    { tools: [canva, { ...free, name: "CANVA" }] },
    'tools[1] "free": name is already used by tools[0]',
  ],
  [
    "servers of two tools with the same id",
    { tools: [canva, { ...free, servers: canva.servers }] },
    'tools[1] "free": servers[0].id is already used by tools[0]',
  ],
  [
    "an access code for an unknown tool",
    { accessCodes: [{ ...code, toolSlug: "canvas" }] },
    'toolSlug must be the slug of a tool of this file, "canvas" is none',
  ],
  [
    "an access code for an unknown server",
    { accessCodes: [{ ...code, serverName: "Server 2" }] },
    'serverName must be a server of "canva"',
  ],
  [
    "a repeated access code",
    { accessCodes: [code, { ...code, isActive: false }] },
    "simpleCode is already used by accessCodes[0]",
  ],
  [
    "an access code that differs only in case",
    { accessCodes: [code, { ...code, simpleCode: "secret-1" }] },
    "simpleCode is already used by accessCodes[0]",
  ],
  [
    "a page of an unknown tool",
    { pages: [{ page: "nowhere", names: ["Canva"] }] },
    'pages[0] "nowhere": page must be the slug of a tool',
  ],
  [
    "a grant for an unknown tool",
    { pages: [{ page: "canva", toolSlugs: ["nothing"] }] },
    "toolSlugs[0] must be the slug of a tool",
  ],
  ["a repeated page", { pages: [{ page: "canva" }, { page: "canva" }] }, "page is already used by pages[0]"],
  [
    "a repeated name of a page",
    { pages: [{ page: "canva", names: ["Canva", "canva"] }] },
    "names[1] is listed twice",
  ],
  [
    "a coupon for an unknown tool",
    { coupons: [{ ...coupon, toolSlug: "x" }] },
    'coupons[0] "WELCOME20": toolSlug must be the slug',
  ],
  [
    "a repeated coupon",
    { coupons: [coupon, { ...coupon, code: "welcome20" }] },
    "code is already used by coupons[0]",
  ],
  [
    "a discount of 0 %",
    { coupons: [{ ...coupon, discountPercentage: 0 }] },
    "discountPercentage must be a whole number from 1 to 100",
  ],
  [
    "a discount of 101 %",
    { coupons: [{ ...coupon, discountPercentage: 101 }] },
    "discountPercentage must be a whole number from 1 to 100",
  ],
  [
    "a usage limit of 0",
    { coupons: [{ ...coupon, usageLimit: 0 }] },
    "usageLimit must be a whole number from 1",
  ],
  [
    "a time without offset",
    { coupons: [{ ...coupon, expiresAt: "2027-03-31T23:59:59" }] },
    "expiresAt must be a moment with its offset",
  ],
  ["an empty service", { credentials: [{ ...credential, service: " " }] }, "service must not be empty"],
  [
    "an invalid email address",
    { credentials: [{ ...credential, email: "a" }] },
    "email must be an e-mail address",
  ],
  [
    "a repeated credential",
    { credentials: [credential, credential] },
    "email is already given for this service by credentials[0]",
  ],
  [
    "a phone number with spaces",
    { store: { name: "S", supportPhones: [{ label: "A", number: "98 76" }] } },
    "store.supportPhones[0].number must be + and",
  ],
  [
    "a giveaway of an unknown tool",
    { store: { name: "S", giveawayToolSlug: "gone" } },
    'store.giveawayToolSlug must be the slug of a tool of this file, "gone" is none',
  ],
  [
    "a giveaway of too many days",
    { store: { name: "S", giveawayValidityDays: 31 } },
    "store.giveawayValidityDays must be a whole number from 1 to 30",
  ],
  [
    "no device per buyer",
    { store: { name: "S", devices: { perUser: 0 } } },
    "store.devices.perUser must be a whole number from 1 to 50",
  ],
  [
    "too many releases of devices",
    { store: { name: "S", devices: { releasesPer30Days: 101 } } },
    "store.devices.releasesPer30Days must be a whole number from 0 to 100",
  ],
  ["no store", { store: undefined }, "store is missing"],
  ["tools that are not a list", { tools: {} }, "tools must be a list in [ ]"],
  ["no tools", { tools: undefined }, "tools is missing"],
  ["an unknown section", { cupons: [] }, 'unknown key "cupons"; known are store, tools, pages'],
])("a catalogue file with %s is reported", (_name, sections, message) => {
  const problems = problemsOf(() => parseWith(sections));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
});

test("the first 200 of very many mistakes in a catalogue file are reported, and how many there are more", () => {
  const problems = problemsOf(() => parseWith({ accessCodes: Array.from({ length: 5_000 }, () => 0) }));
  expect(problems).toHaveLength(201);
  expect(problems[0]).toContain("accessCodes[0]");
  expect(problems[200]).toBe("and 4800 more");
});
