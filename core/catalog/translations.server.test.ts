import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { settings } from "#db/tables/operations.ts";
import { problemsOf, withTool } from "#tests/fixtures/catalogue-file-samples.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { confirmCheckout } from "../checkout/checkout-status.server.ts";
import { getOffer } from "../checkout/get-offer.server.ts";
import type { Context } from "../context.ts";
import { readTodaysGiveaway } from "../giveaways/read-giveaways.server.ts";
import { listMyPasses } from "../passes/list-my-passes.server.ts";
import { readGoLiveChecklist } from "../reports/go-live-checklist.server.ts";
import { getToolPage } from "../tool-pages/get-tool-page.server.ts";
import { applyCatalogue } from "./catalogue-file/apply-catalogue.server.ts";
import { downloadCatalogue } from "./catalogue-file/download-catalogue.server.ts";
import { previewCatalogue } from "./catalogue-file/preview-catalogue.server.ts";
import { readStoreSettingsToEdit, saveStoreSettings } from "./edit-store-settings.server.ts";
import { listToolsForAdmin } from "./list-tools-for-admin.server.ts";
import { listEnglishNames } from "./logos/tool-logos.server.ts";
import { getToolOffSale, listToolsToRead } from "./on-sale.server.ts";
import {
  readStorePage,
  readStoreSettings,
  STORE_SETTINGS_KEY,
  saveSetting,
  selectSetting,
} from "./store-settings.server.ts";
import { createTool, deleteTool, updateTool } from "./tool-editing/manage-tools.server.ts";
import { textsInOtherLanguages } from "./translations.ts";

const shop = await startSandboxShop();
afterAll(() => shop.close());
const admin = await shop.user("admin");

/** The same reader, whose pages are in Hindi. */
const inHindi = (ctx: Context): Context => ({
  ...ctx,
  browser: { headers: new Headers(), ipAddress: "192.0.2.1", ...ctx.browser, language: "hi" },
});

const HINDI = {
  name: "वीडियो टूल",
  description: "फ़िल्में और क्लिप।",
  features: ["एक", "दो"],
  howToUse: ["खोलें।", "देखें।"],
  optionLabels: { 7: "एक हफ़्ता", 30: "एक महीना" },
};

let made = 0;
const sell = (values: Partial<typeof tools.$inferInsert> = {}) =>
  shop.tool({
    name: `Video Tool ${++made}`,
    description: "Films and clips.",
    features: ["One"],
    badge: "New",
    howToUse: ["Open it."],
    pricingOptions: [
      { label: "A week", validityDays: 7, pricePaise: 4900, originalPricePaise: null },
      { label: "A month", validityDays: 30, pricePaise: 9900, originalPricePaise: null },
    ],
    translations: { hi: HINDI },
    ...values,
  });

const cardOf = async (ctx: Context, slug: string) =>
  (await listToolsToRead(ctx)).find((card) => card.slug === slug);

test("a tool is listed and offered in the language of the request, with English where a text is missing", async () => {
  const tool = await sell();
  const { slug, name } = tool;
  const english = { name, description: "Films and clips.", features: ["One"], badge: "New" };
  expect(await cardOf(shop.visitor(), slug)).toMatchObject(english);
  const hindi = { name: HINDI.name, description: HINDI.description, features: HINDI.features, badge: "New" };
  expect(await cardOf(inHindi(shop.visitor()), slug)).toMatchObject(hindi);
  expect(await cardOf(inHindi(shop.visitor()), slug)).not.toHaveProperty("translations");
  expect(textsInOtherLanguages(shop.visitor(), tool)).toBe("वीडियो टूल फ़िल्में और क्लिप। एक दो");
  expect(textsInOtherLanguages(inHindi(shop.visitor()), tool)).toBe(`${name} Films and clips. One`);
  const labels = [
    { label: "A week", validityDays: 7, pricePaise: 4900, originalPricePaise: null, shownLabel: "एक हफ़्ता" },
    {
      label: "A month",
      validityDays: 30,
      pricePaise: 9900,
      originalPricePaise: null,
      shownLabel: "एक महीना",
    },
  ];
  expect(await getOffer(inHindi(shop.visitor()), { tool: slug })).toMatchObject({
    ...hindi,
    options: labels,
  });
  expect((await getOffer(shop.visitor(), { tool: slug })).options[1]).not.toHaveProperty("shownLabel");
});

test("a purchase keeps the English name and label, and its page and its pass have the names of the reader", async () => {
  const { slug, name } = await sell();
  const user = await shop.user();
  const buyer = inHindi(user);
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug, option: "A month" });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  expect(await shop.purchasesOf(user)).toMatchObject([{ toolName: name, optionLabel: "A month" }]);
  expect((await listMyPasses(buyer)).active).toMatchObject([{ toolName: HINDI.name }]);
  expect((await listMyPasses(user)).active).toMatchObject([{ toolName: name }]);
  expect(await getToolPage(buyer, { slug })).toMatchObject({
    tool: { name: HINDI.name, description: HINDI.description },
    steps: { plain: HINDI.howToUse },
  });
});

test("a pass that was bought under an earlier name keeps it", async () => {
  const { id, slug, name } = await sell();
  const buyer = inHindi(await shop.user());
  const { gatewayOrderId } = await startPaidCheckout(buyer, { slug });
  await confirmCheckout(buyer, await shop.payAtGateway(gatewayOrderId));
  await shop.db
    .update(tools)
    .set({ name: `${name} Next` })
    .where(eq(tools.id, id));
  expect((await listMyPasses(buyer)).active).toMatchObject([{ toolName: name }]);
});

test("the giveaway and a tool that was on sale have their names in the language of the request", async () => {
  const { id, slug, name } = await sell();
  await saveSetting(shop.db, STORE_SETTINGS_KEY, { name: "Shop", giveawayToolSlug: slug });
  expect(await readTodaysGiveaway(inHindi(shop.visitor()))).toMatchObject({
    toolName: HINDI.name,
    description: HINDI.description,
  });
  expect(await readTodaysGiveaway(shop.visitor())).toMatchObject({ toolName: name });
  await shop.db.update(tools).set({ isActive: false, wasOnSale: true }).where(eq(tools.id, id));
  expect(await getToolOffSale(inHindi(shop.visitor()), { slug })).toEqual({ slug, name: HINDI.name });
});

test("the English name of a translated one is told for tools on sale, and to a buyer for what was bought", async () => {
  const hidden = await sell({ isActive: false, translations: { hi: { name: "छिपा टूल" } } });
  const shown = await sell({ translations: { hi: { name: "Ünique टूल" } } });
  const visitor = await listEnglishNames(inHindi(shop.visitor()));
  expect(visitor).toMatchObject({ "ünique टूल": shown.name });
  expect(visitor).not.toHaveProperty(["छिपा टूल"]);
  expect(await listEnglishNames(shop.visitor())).toEqual({});
  expect(await listEnglishNames(inHindi(admin))).toMatchObject({ "छिपा टूल": hidden.name });
  await sell({ deletedAt: shop.clock.now(), translations: { hi: { name: "Ünique टूल" } } });
  await sell({ translations: { hi: { name: shown.name } } });
  expect(await listEnglishNames(inHindi(admin))).toMatchObject({ "ünique टूल": shown.name });
  expect(await listEnglishNames(inHindi(admin))).not.toHaveProperty([shown.name.toLowerCase()]);
  const buyer = await shop.user();
  await shop.pass(buyer, { toolId: hidden.id, toolName: hidden.name });
  expect(await listEnglishNames(inHindi(buyer))).toMatchObject({ "छिपा टूल": hidden.name });
});

/** What the form of a tool sends. */
const toolForm = (changes: object = {}) => ({
  name: `Typed Tool ${++made}`,
  description: "Typed.",
  validityDays: "30",
  price: "149",
  availableStock: "10",
  isActive: "on",
  features: ["One", "Two"],
  ...changes,
});

async function rowOf(id: string) {
  const [tool] = await shop.db.select().from(tools).where(eq(tools.id, id));
  return tool;
}

test("the form of a tool stores the typed texts of a language, clean and without empty ones, and audits them", async () => {
  const typed = {
    name: " टाइप \u200bकिया\nटूल ",
    description: "",
    badge: " ",
    features: "एक\n\n  दो \nएक",
    optionLabels: { d30: " महीना ", d7: "" },
    howToUse: "",
  };
  const sent = toolForm({ translations: { hi: typed } });
  const { id } = await createTool(admin, sent);
  const stored = { hi: { name: "टाइप किया टूल", features: ["एक", "दो"], optionLabels: { 30: "महीना" } } };
  expect((await rowOf(id))?.translations).toEqual(stored);
  await updateTool(admin, {
    ...sent,
    toolId: id,
    version: 1,
    shownStock: "10",
    translations: { hi: { name: "", features: " \n " } },
  });
  expect((await rowOf(id))?.translations).toEqual({});
  expect((await shop.auditsOf(id)).at(-1)).toMatchObject({
    action: "tool.updated",
    details: { before: { translations: stored }, after: { translations: {} } },
  });
});

test.each([
  ["a language that the shop does not have", { fr: { name: "Outil" } }, "translations"],
  ["a name that is too long", { hi: { name: "क".repeat(81) } }, "translations.hi.name"],
  ["too many steps", { hi: { howToUse: "१\n२\n३\n४" } }, "translations.hi.howToUse"],
  ["a feature that is too long", { hi: { features: `एक\n${"क".repeat(121)}` } }, "translations.hi.features"],
  [
    "a label of no number of days",
    { hi: { optionLabels: { x: "महीना" } } },
    "translations.hi.optionLabels.x",
  ],
])("the form of a tool refuses %s", async (_, translations, field) => {
  const refusal = createTool(admin, toolForm({ translations }));
  await expect(refusal).rejects.toMatchObject({ fields: { [field]: [expect.any(String)] } });
});

test("the list of the admin finds the tools that lack a text in a language", async () => {
  const complete = await sell();
  const missing = [
    await sell({ translations: {} }),
    await sell({ translations: { hi: { ...HINDI, description: undefined } } }),
    await sell({ translations: { hi: { ...HINDI, features: undefined } } }),
    await sell({ translations: { hi: { ...HINDI, howToUse: undefined } } }),
    await sell({ translations: { hi: { ...HINDI, optionLabels: { 30: "एक महीना" } } } }),
  ];
  const without = await sell({
    features: [],
    pricingOptions: [],
    howToUse: [],
    translations: { hi: { name: "ख", description: "ख" } },
  });
  const found = (await listToolsForAdmin(admin, { missing: "hi" })).rows.map(({ slug }) => slug);
  expect(found).toEqual(expect.arrayContaining(missing.map(({ slug }) => slug)));
  expect(found).not.toContain(complete.slug);
  expect(found).not.toContain(without.slug);
  const searched = await listToolsForAdmin(admin, { missing: "hi", q: missing[0]?.slug });
  expect(searched.rows.map(({ slug }) => slug)).toEqual([missing[0]?.slug]);
  expect((await listToolsForAdmin(admin, { missing: "xx", q: complete.slug })).rows).toHaveLength(1);
});

test("the texts of the shop are shown in the language of the request, and a page needs its English text", async () => {
  const { shown } = await readStoreSettingsToEdit(admin);
  const hi = {
    headline: " बस उतने दिन। ",
    benefits: ["एक", "दो", "तीन"],
    texts: { terms: "नियम।", privacy: "निजता।", contact: "" },
  };
  await saveStoreSettings(admin, {
    name: "Shop",
    headline: "Just the days.",
    benefits: ["One", "Two", "Three"],
    texts: { terms: "Terms.", refund: "Refunds." },
    translations: { hi },
    shown,
  });
  const stored = { ...hi, headline: "बस उतने दिन।", texts: { terms: "नियम।", privacy: "निजता।" } };
  expect((await readStoreSettingsToEdit(admin)).translations).toEqual({ hi: stored });
  const reader = inHindi(shop.visitor());
  expect(await readStoreSettings(reader)).toMatchObject({ headline: stored.headline, benefits: hi.benefits });
  expect(await readStoreSettings(shop.visitor())).toMatchObject({ headline: "Just the days." });
  const pages = ["terms", "refunds", "privacy", "contact"] as const;
  expect(await Promise.all(pages.map((page) => readStorePage(reader, page)))).toEqual([
    "नियम।",
    "Refunds.",
    null,
    null,
  ]);
  expect(await readStorePage(shop.visitor(), "terms")).toBe("Terms.");
});

test("two of three translated benefits are refused", async () => {
  const { shown } = await readStoreSettingsToEdit(admin);
  const refusal = saveStoreSettings(admin, {
    name: "Shop",
    translations: { hi: { benefits: ["एक", "दो", ""] } },
    shown,
  });
  await expect(refusal).rejects.toMatchObject({
    fields: { "translations.hi.benefits.2": ["Fill in all three benefits, or none."] },
  });
});

test("a headline that has gone back to the default has it in every language", async () => {
  const { shown } = await readStoreSettingsToEdit(admin);
  const translations = { hi: { headline: "पुराना", benefits: ["एक", "दो", "तीन"] } };
  await saveStoreSettings(admin, { name: "Shop", translations, shown });
  expect(await readStoreSettings(inHindi(shop.visitor()))).toMatchObject({ headline: null, benefits: null });
});

test("the settings of the store have no key that a version without translations does not know", async () => {
  const { shown } = await readStoreSettingsToEdit(admin);
  await saveStoreSettings(admin, { name: "Shop", translations: { hi: { headline: "दिन" } }, shown });
  expect(await selectSetting(shop.db, STORE_SETTINGS_KEY)).not.toHaveProperty("translations");
  const [more] = await shop.db.select().from(settings).where(eq(settings.key, "store-translations"));
  await saveSetting(shop.db, "store-translations", { ...Object(more?.value), xx: { headline: "?" } });
  expect((await readStoreSettingsToEdit(admin)).translations).toEqual({ hi: { headline: "दिन" } });
  await saveSetting(shop.db, "store-translations", { hi: { headline: 7 } });
  expect(await readStoreSettingsToEdit(admin)).toMatchObject({ name: "Shop", translations: {} });
});

test("the checklist finds a text of the demo in any language", async () => {
  const { shown } = await readStoreSettingsToEdit(admin);
  const texts = { terms: "Ours.", refund: "Ours.", privacy: "Ours.", contact: "Ours." };
  const demo = { hi: { texts: { ...texts, terms: "यह एक डेमो दुकान है। बाकी हमारा।" } } };
  await saveStoreSettings(admin, { name: "Shop", texts, translations: demo, shown });
  const open = (await readGoLiveChecklist(admin)).filter(({ id }) => id === "texts");
  expect(open).toEqual([{ id: "texts", pages: ["terms"], areDemo: true }]);
});

interface Entry {
  slug: string;
  translations?: object;
}

test("a catalogue file has the translations, changes them, and leaves them as they are when it has none", async () => {
  const { id, slug } = await sell();
  const { shown } = await readStoreSettingsToEdit(admin);
  const texts = { terms: "Terms." };
  const translations = { hi: { headline: "दिन", texts: { terms: "नियम।" } } };
  await saveStoreSettings(admin, { name: "Shop", texts, translations, shown });
  const download = async (): Promise<{ store: Omit<Entry, "slug">; tools: Entry[] }> =>
    JSON.parse((await downloadCatalogue(admin, {})).text);
  const upload = async (file: object) => {
    const text = JSON.stringify(file);
    const preview = await previewCatalogue(admin, { file: text });
    if (preview.kind === "invalid") throw new Error(preview.problems.join("\n"));
    await applyCatalogue(admin, { file: text, fingerprint: preview.fingerprint });
    return preview.changes;
  };
  const written = await download();
  const entry = written.tools.find((tool) => tool.slug === slug);
  expect(entry).toMatchObject({ translations: { hi: HINDI } });
  expect(written.store).toMatchObject({ translations });

  const { translations: _, ...older } = { ...written.store };
  // The fixtures have tools without a server, and a file gives each of them one.
  const oldTools = written.tools.map(({ translations: _, ...tool }) => tool);
  const changes = await upload({ ...written, store: older, tools: oldTools });
  expect(changes.filter(({ section }) => section === "store")).toEqual([]);
  expect(changes.flatMap(({ fields }) => fields.map(({ field }) => field))).not.toContain("translations");
  expect((await rowOf(id))?.translations).toEqual({ hi: HINDI });
  expect((await readStoreSettingsToEdit(admin)).translations).toEqual(translations);

  const changed = { ...entry, translations: { hi: { name: "नया" } } };
  await upload({ ...written, tools: [changed] });
  expect((await rowOf(id))?.translations).toEqual({ hi: { name: "नया" } });
  await deleteTool(admin, { toolId: id });
  await upload({ ...written, tools: [{ ...changed, translations: undefined }] });
  expect(await rowOf(id)).toMatchObject({ deletedAt: null, translations: { hi: { name: "नया" } } });
  await upload({ ...written, tools: [{ ...changed, translations: {} }] });
  expect((await rowOf(id))?.translations).toEqual({});
});

test("a catalogue file with mistakes in its translations is refused", () => {
  const problems = (translations: unknown) => problemsOf(withTool({ translations }));
  expect(problems("Hindi")[0]).toContain("translations must be an entry in { } with languages: hi");
  expect(problems({ fr: { name: "Outil" } })[0]).toContain("translations");
  expect(problems(JSON.parse('{ "__proto__": { "name": "x" } }'))[0]).toContain("with languages: hi");
  const labels = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`k${at}`, "l"]));
  expect(problems({ hi: { optionLabels: labels } })[0]).toContain("optionLabels must have at most 20");
  expect(problems({ hi: { title: "टूल" } })[0]).toContain('unknown key "title"');
  expect(problems({ hi: { features: [] } })[0]).toContain("translations.hi.features must not be empty");
  expect(problems({ hi: { optionLabels: { month: "महीना" } } })[0]).toContain("optionLabels");
});
