import { describe, expect, test } from "vitest";
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
} from "./testing/catalogue-file-samples.ts";

describe("a bad tool is named by its place, its slug and the field", () => {
  test.each([
    ["a price in quotes", withOption({ price: "119" }), "pricingOptions[0].price must be rupees as a number"],
    [
      "three decimals",
      withOption({ price: 119.005 }),
      "pricingOptions[0].price must have at most two decimals",
    ],
    ["below ₹1", withOption({ price: 0.5 }), "pricingOptions[0].price must be at least 1 rupee"],
    ["an option for nothing", withOption({ price: 0 }), "pricingOptions[0].price must be at least 1 rupee"],
    ["a huge price", withOption({ price: 1e12 }), "pricingOptions[0].price must be at most"],
    [
      "original below price",
      withOption({ originalPrice: 100 }),
      "pricingOptions[0].originalPrice must not be below price",
    ],
    [
      "half a day",
      withOption({ validityDays: 1.5 }),
      "pricingOptions[0].validityDays must be a whole number from 1",
    ],
    ["no label", withOption({ label: undefined }), "pricingOptions[0].label is missing"],
    [
      "same validity",
      withTool({ pricingOptions: [option, { ...option, label: "Month" }] }),
      "pricingOptions[1].validityDays is used by another option",
    ],
    [
      "same label",
      withTool({ pricingOptions: [option, { ...option, validityDays: 31 }] }),
      "pricingOptions[1].label is used by another option",
    ],
    [
      "price beside options",
      withTool({ price: 119 }),
      "price must be left out when there are pricingOptions",
    ],
    ["no price at all", withTool({ pricingOptions: [], validityDays: 7 }), "price is missing"],
    ["no validity at all", withTool({ pricingOptions: [], price: 7 }), "validityDays is missing"],
    [
      "a negative price",
      withTool({ pricingOptions: [], price: -1, validityDays: 7 }),
      "price must not be negative",
    ],
    [
      "original below own price",
      withTool({ pricingOptions: [], price: 9, originalPrice: 8, validityDays: 7 }),
      "originalPrice must not be below price",
    ],
    [
      "free, but to be asked for",
      withTool({ pricingOptions: [], price: 0, validityDays: 7, contactOnly: true }),
      "contactOnly must be false for a free tool",
    ],
    ["no features", withTool({ features: [] }), "features must list at least one feature"],
    ["a blank feature", withTool({ features: ["  "] }), "features[0] must not be empty"],
    ["no servers", withTool({ servers: [] }), "servers must list at least one server"],
    [
      "servers of one name",
      withTool({
        servers: [
          { id: "a", name: "A" },
          { id: "b", name: "A" },
        ],
      }),
      "servers[1].name is used by another server",
    ],
    [
      "a server by http",
      withTool({ servers: [{ id: "a", name: "A", url: "http://example.com" }] }),
      "servers[0].url must be an address that starts with https://",
    ],
    [
      "a script for an address",
      withTool({ servers: [{ id: "a", name: "A", url: "javascript:alert(1)" }] }),
      "servers[0].url must be an address",
    ],
    ["negative stock", withTool({ availableStock: -1 }), "availableStock must be a whole number from 0"],
    ["a word for yes", withTool({ isActive: "yes" }), "isActive must be true or false"],
    ["an unknown key", withTool({ prise: 5 }), 'unknown key "prise"'],
    ["an unknown key of an option", withOption({ days: 30 }), 'unknown key "days" in pricingOptions[0]'],
  ])("%s", (_name, work, words) => {
    const problems = problemsOf(work);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`tools[0] "canva": ${words}`);
  });

  test.each(["Canva", "can va", "-canva", "can--va", "../canva", ""])("the slug %j is refused", (slug) => {
    expect(problemsOf(withTool({ slug }))[0]).toMatch(/slug must/);
  });
});

describe("entries that do not fit together", () => {
  test.each([
    [
      "tools of one slug",
      { tools: [canva, { ...free, slug: "canva" }] },
      'tools[1] "canva": slug is already used by tools[0]',
    ],
    [
      "tools of one name",
      { tools: [canva, { ...free, name: "CANVA" }] },
      'tools[1] "free": name is already used by tools[0]',
    ],
    [
      "servers of one id",
      { tools: [canva, { ...free, servers: canva.servers }] },
      'tools[1] "free": servers[0].id is already used by tools[0]',
    ],
    [
      "a code for no tool",
      { accessCodes: [{ ...code, toolSlug: "canvas" }] },
      'toolSlug must be the slug of a tool of this file, "canvas" is none',
    ],
    [
      "a code for no server",
      { accessCodes: [{ ...code, serverName: "Server 2" }] },
      'serverName must be a server of "canva"',
    ],
    [
      "one code twice",
      { accessCodes: [code, { ...code, simpleCode: "secret-1" }] },
      "simpleCode is already used by accessCodes[0]",
    ],
    [
      "a page of no tool",
      { pages: [{ page: "nowhere", names: ["Canva"] }] },
      'pages[0] "nowhere": page must be the slug of a tool',
    ],
    [
      "a page opened by no tool",
      { pages: [{ page: "canva", toolSlugs: ["nothing"] }] },
      "toolSlugs[0] must be the slug of a tool",
    ],
    ["a page twice", { pages: [{ page: "canva" }, { page: "canva" }] }, "page is already used by pages[0]"],
    [
      "a page's name twice",
      { pages: [{ page: "canva", names: ["Canva", "canva"] }] },
      "names[1] is listed twice",
    ],
    [
      "a coupon for no tool",
      { coupons: [{ ...coupon, toolSlug: "x" }] },
      'coupons[0] "WELCOME20": toolSlug must be the slug',
    ],
    [
      "a coupon twice",
      { coupons: [coupon, { ...coupon, code: "welcome20" }] },
      "code is already used by coupons[0]",
    ],
    [
      "0 %",
      { coupons: [{ ...coupon, discountPercentage: 0 }] },
      "discountPercentage must be a whole number from 1 to 100",
    ],
    [
      "101 %",
      { coupons: [{ ...coupon, discountPercentage: 101 }] },
      "discountPercentage must be a whole number from 1 to 100",
    ],
    ["no uses", { coupons: [{ ...coupon, usageLimit: 0 }] }, "usageLimit must be a whole number from 1"],
    [
      "a moment without offset",
      { coupons: [{ ...coupon, expiresAt: "2027-03-31T23:59:59" }] },
      "expiresAt must be a moment with its offset",
    ],
    [
      "a service of no list",
      { credentials: [{ ...credential, service: "X" }] },
      "service must be one of: Stealth Writer, QuillBot, Write Human, Other",
    ],
    [
      "no e-mail address",
      { credentials: [{ ...credential, email: "a" }] },
      "email must be an e-mail address",
    ],
    [
      "a credential twice",
      { credentials: [credential, credential] },
      "email is already given for this service by credentials[0]",
    ],
    [
      "a phone in words",
      { store: { name: "S", supportPhones: [{ label: "A", number: "98 76" }] } },
      "store.supportPhones[0].number must be + and",
    ],
    ["no store", { store: undefined }, "store is missing"],
    ["tools that are no list", { tools: {} }, "tools must be a list in [ ]"],
    ["no tools", { tools: undefined }, "tools is missing"],
    ["an unknown section", { cupons: [] }, 'unknown key "cupons"; known are store, tools, pages'],
  ])("%s", (_name, sections, words) => {
    const problems = problemsOf(() => parseWith(sections));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
  });
});
