import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { stepsOfUse } from "../../tool-pages/rules.ts";
import { parseCatalogueFile } from "./catalogue-file.ts";

const demo = parseCatalogueFile(
  readFileSync(new URL("../../../db/seed/demo-catalogue.json", import.meta.url), "utf8"),
);
const paid = demo.tools.filter((tool) => tool.pricePaise > 0);
const payable = paid.filter((tool) => !tool.contactOnly);

test("the demo catalogue has twelve tools, three of them by contact only and one free", () => {
  expect(demo.tools.map(({ slug }) => slug).sort()).toEqual([
    "aihumanizer",
    "amazon-prime",
    "canva",
    "chatgpt",
    "chatgpt-plus",
    "grammar-checker",
    "hix-ai-assistant",
    "premium-netflix-access",
    "quillbot",
    "stealth-writer",
    "surfshark-vpn",
    "udemy",
  ]);
  expect(
    demo.tools
      .filter((tool) => tool.contactOnly)
      .map(({ slug }) => slug)
      .sort(),
  ).toEqual(["chatgpt-plus", "stealth-writer", "surfshark-vpn"]);
  expect(demo.tools.filter((tool) => tool.pricePaise === 0)).toHaveLength(1);
});

test("the demo catalogue has one payable tool that is out of stock and one that has three left", () => {
  const few = payable.map((tool) => tool.availableStock).filter((stock) => stock < 8);
  expect(few.sort()).toEqual([0, 3]);
});

test("every paid tool of the demo catalogue has two or three options below their original prices", () => {
  for (const tool of paid) {
    expect(tool.pricingOptions.length, tool.slug).toBeGreaterThanOrEqual(2);
    expect(tool.pricingOptions.length, tool.slug).toBeLessThanOrEqual(3);
    for (const option of tool.pricingOptions) {
      expect(option.originalPricePaise ?? 0, tool.slug).toBeGreaterThan(option.pricePaise);
    }
  }
  for (const tool of demo.tools) expect(tool.features.length, tool.slug).toBeGreaterThanOrEqual(5);
});

test("every server of every tool in the demo catalogue has an access code", () => {
  const withCode = new Set(demo.accessCodes.map(({ toolSlug, serverName }) => `${toolSlug}/${serverName}`));
  const servers = demo.tools.flatMap((tool) => tool.servers.map((server) => `${tool.slug}/${server.name}`));
  expect(servers.filter((server) => !withCode.has(server))).toEqual([]);
});

test("the pages of the demo catalogue open for the names of the requirements", () => {
  const names = (slug: string) => demo.pages.find(({ page }) => page === slug)?.names;
  expect(names("chatgpt")).toEqual(["ChatGPT Pro", "ChatGPT"]);
  const humanizers = ["AI Humanizer", "AI Humanizer Bundle", "Stealth Writer", "Write Human"];
  expect(names("aihumanizer")).toEqual(humanizers.flatMap((name) => [name, `${name} Pro`]));
});

test("every tool of the demo catalogue has three steps of use, some of them the page's own, and the humanizer has a credential", () => {
  for (const tool of demo.tools) {
    const steps = stepsOfUse({ credentialId: null, accountEmail: "asha@example.com", ...tool });
    expect([steps.plain, steps.withExtension, steps.onPhone].map(({ length }) => length)).toEqual([3, 3, 3]);
  }
  const withoutOwn = demo.tools.filter(({ howToUse }) => howToUse.length === 0).map(({ slug }) => slug);
  expect(withoutOwn).toEqual(["hix-ai-assistant", "aihumanizer", "chatgpt"]);
  const service = demo.tools.find(({ slug }) => slug === "aihumanizer")?.credentialService;
  expect(demo.credentials.some((credential) => credential.service === service)).toBe(true);
});

test("every tool and every page of the demo catalogue is in Hindi too", () => {
  for (const { slug, features, howToUse, translations } of demo.tools) {
    const { name, description, features: hindiFeatures, howToUse: steps = [] } = translations?.hi ?? {};
    expect([name, description], slug).toEqual([
      expect.stringMatching(/./),
      expect.stringMatching(/[\u0900-\u097f]/),
    ]);
    expect([hindiFeatures?.length, steps.length], slug).toEqual([features.length, howToUse.length]);
  }
  const pages = ["terms", "refund", "privacy", "contact"];
  expect(Object.keys(demo.store.translations?.hi?.texts ?? {})).toEqual(pages);
});

test("every tool of the demo catalogue says where it works, and only the chat assistant needs the extension", () => {
  for (const tool of demo.tools) expect(tool.worksOn, tool.slug).toContain("laptop");
  expect(demo.tools.filter(({ worksOn }) => worksOn.includes("extension")).map(({ slug }) => slug)).toEqual([
    "chatgpt",
  ]);
});

test("the chat assistant and the humanizer of the demo catalogue have the servers of their pages", () => {
  const servers = (slug: string) =>
    demo.tools.find((tool) => tool.slug === slug)?.servers.map(({ id, name }) => [id, name]);
  expect(servers("chatgpt")).toEqual([
    ["chatgpt-server-1", "Server 1"],
    ["chatgpt-server-2", "Server 2"],
    ["chatgpt-server-3", "Server 3"],
  ]);
  expect(servers("aihumanizer")).toEqual([
    ["aihumanizer-server-1", "Write Human"],
    ["aihumanizer-server-2", "Stealth Writer"],
    ["aihumanizer-server-3", "Hix AI"],
  ]);
});
