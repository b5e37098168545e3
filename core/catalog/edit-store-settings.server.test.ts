import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { auditEvents, settings } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import type { Context } from "../context.ts";
import { applyCatalogue } from "./catalogue-file/apply-catalogue.server.ts";
import { downloadCatalogue } from "./catalogue-file/download-catalogue.server.ts";
import { previewCatalogue } from "./catalogue-file/preview-catalogue.server.ts";
import { readStoreSettingsToEdit, saveStoreSettings } from "./edit-store-settings.server.ts";
import {
  readGiveawaySettings,
  readStoredSettings,
  readStorePage,
  readStoreSettings,
} from "./store-settings.server.ts";

const shop = openTestShop(await freshDatabase(), {
  clock: { now: () => new Date("2026-11-21T10:00:00Z") },
});
const { db } = shop;
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
});
beforeEach(async () => {
  await db.execute("truncate settings, audit_events");
});
afterAll(() => shop.close());

/** What the form sends, with everything filled in. */
const filled = {
  name: " Asha's Shop ",
  claims: { rating: "4.8/5", users: "", tools: "12" },
  supportPhones: [
    { label: "", number: "+919876543210" },
    { label: "Nights", number: "" },
  ],
  dealsChannel: { label: "", url: "https://t.example/deals" },
  demoVideoUrl: "https://v.example/demo",
  texts: { terms: "One.\n\nTwo.", refund: " " },
};

/** What visitors see of fields that are empty. */
const unset = {
  headline: null,
  accent: "marigold",
  benefits: null,
  seller: null,
  claimsAreExamples: false,
};

const save = async (changes: object = {}, ctx = admin) => {
  const { shown } = await readStoreSettingsToEdit(ctx);
  return saveStoreSettings(ctx, { ...filled, shown, ...changes });
};

test("saved store settings are shown to visitors and in the form, and the change is audited", async () => {
  expect(await readStoreSettingsToEdit(admin)).toMatchObject({
    name: "Daypass",
    texts: {},
    supportPhones: [],
  });
  const { shown } = await save();
  expect(await readStoreSettings(shop.visitor())).toEqual({
    ...unset,
    name: "Asha's Shop",
    claims: [
      { value: "4.8/5", label: "average rating" },
      { value: "12", label: "tools" },
    ],
    supportPhones: [{ label: "Support chat 1", hasOwnLabel: false, number: "+919876543210" }],
    dealsChannel: { label: "Deals channel", url: "https://t.example/deals" },
    demoVideoUrl: "https://v.example/demo",
    pages: ["terms"],
    hasGiveaway: false,
  });
  expect(await readStoreSettingsToEdit(admin)).toMatchObject({
    texts: { terms: "One.\n\nTwo." },
    giveawayToolSlug: null,
    timeZone: "Asia/Kolkata",
    readOnly: { supportPhones: false, dealsChannelUrl: false, demoVideoUrl: false, timeZone: true },
    shown,
  });
  await save({ name: "Other Shop" });
  const events = await db.select().from(auditEvents).orderBy(auditEvents.id);
  expect(events.map(({ action }) => action)).toEqual(["store-settings.saved", "store-settings.saved"]);
  expect(events[1]?.details).toEqual({ before: { name: "Asha's Shop" }, after: { name: "Other Shop" } });
});

test("labels of support numbers are numbered without the empty rows, and the owner's own stay", async () => {
  const shown = async (supportPhones: object[]) => {
    await save({ supportPhones });
    return (await readStoreSettings(shop.visitor())).supportPhones;
  };
  const [first, second] = ["+919876543210", "+919876543211"];
  const own = { label: "Nights", hasOwnLabel: true };
  const made = (number: number) => ({ label: `Support chat ${number}`, hasOwnLabel: false });
  expect(await shown([{ number: "" }, { number: second }])).toEqual([{ ...made(1), number: second }]);
  const both = [
    { label: "Nights", number: first },
    { label: "", number: second },
  ];
  expect(await shown(both)).toEqual([
    { ...own, number: first },
    { ...made(2), number: second },
  ]);
  // What the form shows of the last save, with its first number removed.
  expect(await shown([{ number: "" }, { label: "Support chat 2", number: second }])).toEqual([
    { ...made(1), number: second },
  ]);
  expect((await readStoreSettingsToEdit(admin)).supportPhones).toEqual([
    { label: "Support chat 1", number: second },
  ]);
});

test("a page of the shop has the text of its owner, and without a text there is no page", async () => {
  expect(await readStorePage(shop.visitor(), "terms")).toBeNull();
  await save();
  expect(await readStorePage(shop.visitor(), "terms")).toBe("One.\n\nTwo.");
  expect(await readStorePage(shop.visitor(), "refunds")).toBeNull();
});

test("the shop is shown without pages when its stored texts are not a list of texts", async () => {
  await save();
  await db.execute(`update settings set value = jsonb_set(value, '{texts}', '"broken"')`);
  expect((await readStoreSettings(shop.visitor())).pages).toEqual([]);
});

test("an emptied field is removed, and the audit event says so", async () => {
  await save();
  await save({ dealsChannel: {}, demoVideoUrl: "", texts: {}, claims: {}, supportPhones: [] });
  expect(await readStoreSettings(shop.visitor())).toEqual({
    ...unset,
    name: "Asha's Shop",
    claims: [],
    supportPhones: [],
    dealsChannel: null,
    demoVideoUrl: null,
    pages: [],
    hasGiveaway: false,
  });
  const [, event] = await db.select().from(auditEvents).orderBy(auditEvents.id);
  expect(event?.details).toMatchObject({ after: { demoVideoUrl: null, texts: null } });
});

test("the audit event of the first save does not name fields that stay empty", async () => {
  await save({ dealsChannel: {}, demoVideoUrl: "", texts: {}, claims: {}, supportPhones: [] });
  const [event] = await db.select().from(auditEvents);
  expect(Object.keys(Object(event?.details).after)).toEqual(["name"]);
});

test("headline, colour, benefits and seller are shown to visitors, are in the catalogue file, and can be emptied", async () => {
  const look = {
    headline: "Passes from Pune",
    accent: "sky",
    benefits: ["Real accounts", "Human support", "Works on phones"],
    seller: { name: "Asha Digital", city: "Pune", since: "2021", gstin: "27abcde1234f1z5" },
  };
  const shown = { ...look, seller: { ...look.seller, since: 2021, gstin: "27ABCDE1234F1Z5" } };
  await save(look);
  expect(await readStoreSettings(shop.visitor())).toMatchObject(shown);
  expect(await readStoreSettingsToEdit(admin)).toMatchObject(shown);
  const { text: file } = await downloadCatalogue(admin, {});
  expect(JSON.parse(file).store).toMatchObject(shown);

  await save({ seller: { name: "Asha Digital", city: "", since: "", gstin: "" }, benefits: ["", "", ""] });
  expect(await readStoreSettings(shop.visitor())).toMatchObject({
    ...unset,
    seller: { name: "Asha Digital" },
  });
  const preview = await previewCatalogue(admin, { file });
  if (preview.kind === "invalid") throw new Error(preview.problems.join("\n"));
  await applyCatalogue(admin, { file, fingerprint: preview.fingerprint });
  expect(await readStoreSettings(shop.visitor())).toMatchObject(shown);
});

test.each([
  [{ headline: "Two\nlines" }, { headline: ["Enter the headline on one line."] }],
  [{ accent: "white" }, { accent: ["Choose one of the colours."] }],
  [{ benefits: ["One", "", "Three"] }, { "benefits.1": ["Fill in all three benefits, or none."] }],
  [{ benefits: ["One"] }, { "benefits.1": ["Fill in all three benefits, or none."] }],
  [{ benefits: ["1", "2", "3", "4"] }, { benefits: ["At most 3 benefits."] }],
  [{ seller: { city: "Pune" } }, { "seller.name": ["Enter the seller’s name, or leave all fields empty."] }],
  [
    { seller: { name: "Asha", since: "21" } },
    { "seller.since": ["Enter the year with four digits, such as 2021."] },
  ],
  [
    { seller: { name: "Asha", gstin: "27ABCDE1234F1" } },
    { "seller.gstin": ["Enter the 15 characters of the GSTIN, such as 27ABCDE1234F1Z5."] },
  ],
])("wrong details of the shop are refused and not saved: %o", async (changes, fields) => {
  await expect(save(changes)).rejects.toMatchObject({ fields: expect.objectContaining(fields) });
  expect(await db.$count(settings, eq(settings.key, "store"))).toBe(0);
});

test("the claims of the demo are marked as examples until other claims are saved", async () => {
  const claims = { rating: "4.9/5", users: "10K+" };
  await db
    .insert(settings)
    .values({ key: "store", value: { name: "Demo", claims, claimsAreExamples: true } });
  await save({ name: "Asha's Shop", claims });
  expect((await readStoreSettings(shop.visitor())).claimsAreExamples).toBe(true);
  await save({ claims: { ...claims, users: "200+" } });
  expect((await readStoreSettings(shop.visitor())).claimsAreExamples).toBe(false);
  await save({ claims });
  expect((await readStoreSettings(shop.visitor())).claimsAreExamples).toBe(false);
});

test("the limits of the browser extension are stored without the empty ones, and emptying both removes them", async () => {
  const stored = async () => (await readStoredSettings(admin, db))?.devices;
  await save({ devices: { perUser: " 3 ", releasesPer30Days: "0" } });
  expect(await stored()).toEqual({ perUser: 3, releasesPer30Days: 0 });
  await save({ devices: { perUser: "", releasesPer30Days: "5" } });
  expect(await stored()).toEqual({ releasesPer30Days: 5 });
  expect(await readStoreSettingsToEdit(admin)).toMatchObject({ devices: { releasesPer30Days: 5 } });
  await save({ devices: { perUser: "", releasesPer30Days: "" } });
  expect(await stored()).toBeUndefined();
  const events = await db.select().from(auditEvents).orderBy(auditEvents.id);
  expect(events[2]?.details).toEqual({
    before: { devices: { releasesPer30Days: 5 } },
    after: { devices: null },
  });
});

test("the limits of an admin's session are stored, read, in the catalogue file, and removed when both are emptied", async () => {
  await save({ adminSessions: { idleHours: " 8 ", maxDays: "" } });
  expect((await readStoredSettings(admin, db))?.adminSessions).toEqual({ idleHours: 8 });
  expect(await readStoreSettingsToEdit(admin)).toMatchObject({ adminSessions: { idleHours: 8 } });
  expect(JSON.parse((await downloadCatalogue(admin, {})).text).store.adminSessions).toEqual({ idleHours: 8 });
  await save({ adminSessions: { idleHours: "", maxDays: "" } });
  expect((await readStoredSettings(admin, db))?.adminSessions).toBeUndefined();
});

test.each([
  ["idleHours", "0", "Enter the hours as a whole number from 1 to 72."],
  ["idleHours", "73", "Enter the hours as a whole number from 1 to 72."],
  ["maxDays", "0", "Enter the days as a whole number from 1 to 30."],
  ["maxDays", "31", "Enter the days as a whole number from 1 to 30."],
])("a wrong limit of an admin's session is refused and not saved: %s %s", async (field, value, message) => {
  await expect(save({ adminSessions: { [field]: value } })).rejects.toMatchObject({
    fields: { [`adminSessions.${field}`]: [message] },
  });
  expect(await db.$count(settings, eq(settings.key, "store"))).toBe(0);
});

test("the limits of the browser extension are in the catalogue file, and a file without them removes them", async () => {
  const devices = { perUser: 3, releasesPer30Days: 0 };
  await save({ devices });
  const { store, ...sections } = JSON.parse((await downloadCatalogue(admin, {})).text);
  expect(store.devices).toEqual(devices);
  for (const [changed, before, after] of [
    [{ ...store, devices: undefined }, devices, {}],
    [store, {}, devices],
  ]) {
    const file = JSON.stringify({ ...sections, store: changed });
    const result = await previewCatalogue(admin, { file });
    if (result.kind === "invalid") throw new Error(result.problems.join("\n"));
    expect(result.changes[0]?.fields).toEqual([{ field: "devices", before, after }]);
    await applyCatalogue(admin, { file, fingerprint: result.fingerprint });
    expect((await readStoredSettings(admin, db))?.devices).toEqual(changed.devices);
  }
});

test("two admins save the same settings at once: the second is told and nothing of theirs is saved", async () => {
  for (const round of ["first settings", "later settings"]) {
    const { shown } = await readStoreSettingsToEdit(admin);
    const results = await Promise.allSettled(
      ["A", "B", "C"].map((name) => saveStoreSettings(admin, { ...filled, name: `${round} ${name}`, shown })),
    );
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(refused).toMatchObject([{ code: "changed-meanwhile" }, { code: "changed-meanwhile" }]);
  }
  expect(await db.$count(auditEvents)).toBe(2);
});

test("what a variable of the environment sets is shown, read-only, and its stored value stays", async () => {
  await save();
  const ctx = {
    ...admin,
    store: { ...admin.store, supportPhones: ["+910000000001"], dealsChannelUrl: "https://env.example" },
  };
  expect(await readStoreSettingsToEdit(ctx)).toMatchObject({
    supportPhones: [{ number: "+910000000001" }],
    dealsChannel: { url: "https://env.example" },
    readOnly: { supportPhones: true, dealsChannelUrl: true, demoVideoUrl: false },
  });
  await save({ supportPhones: [], dealsChannel: { url: "https://typed.example" }, demoVideoUrl: "" }, ctx);
  expect(await readStoreSettingsToEdit(admin)).toMatchObject({
    supportPhones: [{ number: "+919876543210" }],
    dealsChannel: { url: "https://t.example/deals" },
    demoVideoUrl: null,
  });
});

test("the validity of the giveaway's pass is stored, is in the catalogue file, and emptying it removes it", async () => {
  const tool = await shop.tool();
  await save({ giveawayToolSlug: tool.slug, giveawayValidityDays: " 3 " });
  expect(await readStoreSettingsToEdit(admin)).toMatchObject({ giveawayValidityDays: 3 });
  expect(await readGiveawaySettings(shop.visitor())).toEqual({ toolSlug: tool.slug, validityDays: 3 });
  const { store } = JSON.parse((await downloadCatalogue(admin, {})).text);
  expect(store).toMatchObject({ giveawayToolSlug: tool.slug, giveawayValidityDays: 3 });
  await save({ giveawayToolSlug: tool.slug, giveawayValidityDays: "" });
  expect(await readGiveawaySettings(shop.visitor())).toEqual({ toolSlug: tool.slug, validityDays: null });
  await save({ giveawayToolSlug: "" });
  expect(await readGiveawaySettings(shop.visitor())).toBeNull();
  for (const giveawayValidityDays of ["0", "31", "1.5", "a day"])
    await expect(save({ giveawayValidityDays })).rejects.toMatchObject({
      fields: { giveawayValidityDays: ["Enter the validity in whole days from 1 to 30."] },
    });
});

test("the tool of the giveaway must exist and not be deleted", async () => {
  const tool = await shop.tool();
  const gone = await shop.tool({ deletedAt: new Date() });
  await save({ giveawayToolSlug: tool.slug });
  expect(await readStoreSettingsToEdit(admin)).toMatchObject({ giveawayToolSlug: tool.slug });
  await expect(save({ giveawayToolSlug: gone.slug })).rejects.toMatchObject({ code: "tool-not-found" });
});

test.each([
  ["+91 98765-43210", "+919876543210"],
  ["91 (98765) 43210", "+919876543210"],
  ["0091 98765.43210", "+919876543210"],
  [" +44 20 7946 0958 ", "+442079460958"],
])("a support number is stored without spaces and dashes: %s", async (number, stored) => {
  await save({ supportPhones: [{ number }] });
  expect(await readStoreSettingsToEdit(admin)).toMatchObject({ supportPhones: [{ number: stored }] });
});

test.each([
  "98765 43210",
  "098765 43210",
  "+91 98765 4321O",
  "+1 234",
])("a support number without its country code, or that is none, is refused: %s", async (number) => {
  await expect(save({ supportPhones: [{ number }] })).rejects.toMatchObject({ code: "invalid-input" });
});

test.each([
  [{ name: " " }, "name", "Enter the store’s name."],
  [{ name: "Asha's\nShop" }, "name", "Enter the store’s name on one line."],
  [{ name: "Asha's\u2028Shop" }, "name", "Enter the store’s name on one line."],
  [{ name: "Asha's\r\nBcc: all@example.com" }, "name", "Enter the store’s name on one line."],
  [{ claims: { rating: "x".repeat(21) } }, "claims.rating", "At most 20 characters."],
  [
    { supportPhones: [{ number: "98 76" }] },
    "supportPhones.0.number",
    "Enter the number with its country code, such as +91 98765 43210.",
  ],
  [{ supportPhones: [{}, {}, {}] }, "supportPhones", "At most 2 numbers."],
  [{ demoVideoUrl: "javascript:1" }, "demoVideoUrl", "Enter an address that starts with https://."],
  [{ demoVideoUrl: "http://v.example" }, "demoVideoUrl", "Enter an address that starts with https://."],
  [{ demoVideoUrl: "https://*" }, "demoVideoUrl", "Enter an address that starts with https://."],
  [{ texts: { terms: "x".repeat(20_001) } }, "texts.terms", "At most 20000 characters."],
  [{ shown: undefined }, "shown", "Please close this form and open it again."],
])("store settings with a mistake in a field are refused and not saved (%#)", async (changes, field, message) => {
  await expect(save(changes)).rejects.toMatchObject({ fields: { [field]: [message] } });
  expect(await db.$count(settings, eq(settings.key, "store"))).toBe(0);
});

test.each([
  ["perUser", "0"],
  ["perUser", "51"],
  ["perUser", "-1"],
  ["perUser", "1.5"],
  ["perUser", "two"],
  ["releasesPer30Days", "101"],
  ["releasesPer30Days", "-1"],
  ["releasesPer30Days", "0.5"],
])("a wrong limit of the browser extension is refused and not saved: %s %s", async (field, value) => {
  const message = {
    perUser: "Enter the devices per buyer as a whole number from 1 to 50.",
    releasesPer30Days: "Enter the releases in 30 days as a whole number from 0 to 100.",
  };
  await expect(save({ devices: { [field]: value } })).rejects.toMatchObject({
    fields: { [`devices.${field}`]: [new Map(Object.entries(message)).get(field)] },
  });
  expect(await db.$count(settings, eq(settings.key, "store"))).toBe(0);
});

test.each([
  "visitor",
  "user",
  "system",
] as const)("the actor %s has no access to the settings", async (kind) => {
  const ctx = kind === "user" ? await shop.user() : kind === "visitor" ? shop.visitor() : shop.system();
  const refusal = { code: kind === "user" ? "forbidden" : "unauthenticated" };
  await expect(readStoreSettingsToEdit(ctx)).rejects.toMatchObject(refusal);
  const { shown } = await readStoreSettingsToEdit(admin);
  await expect(saveStoreSettings(ctx, { ...filled, shown })).rejects.toMatchObject(refusal);
  expect(await db.$count(settings)).toBe(0);
});
