import { eq, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Executor } from "#db/database.ts";
import { settings } from "#db/tables/operations.ts";
import { changed } from "#db/transaction.ts";
import { allowAnyone } from "../authorise.ts";
import type { Context } from "../context.ts";
import { storedStoreSchema, storeTranslationsSchema } from "./catalogue-file/entry-schemas.ts";
import { keepUntilChange } from "./keep-until-change.ts";
import { type Accent, DEALS_CHANNEL, isSupportChatLabel, supportChatLabel } from "./limits.ts";
import { OTHER_LANGUAGES, translationOf } from "./translations.ts";

/** The setting that holds the store block of the catalogue file without its translations. Its shape is `storeSchema`. */
export const STORE_SETTINGS_KEY = "store";
/** Their setting. In the other one, a version of the shop from before them would find an unknown key and refuse all of it. */
const STORE_TRANSLATIONS_KEY = "store-translations";

/** A claim about the shop, such as { value: "10K+", label: "users" }. */
export interface Claim {
  value: string;
  label: string;
}

/** Who sells. */
export interface Seller {
  name: string;
  city?: string | undefined;
  /** A year. */
  since?: number | undefined;
  gstin?: string | undefined;
}

/** What the owner has set about the shop. Anything not set is empty or null, and is not shown. */
export interface StoreSettings {
  name: string;
  /** The owner's headline; null: the default one. */
  headline: string | null;
  accent: Accent;
  /** The three benefits that every pass has; null: the default ones. */
  benefits: readonly string[] | null;
  seller: Seller | null;
  claims: Claim[];
  /** The claims are the demo's. */
  claimsAreExamples: boolean;
  /** Numbers with + and country code. A label that is not the owner's own is "Support chat" and the place of the number. */
  supportPhones: Array<{ label: string; hasOwnLabel: boolean; number: string }>;
  dealsChannel: { label: string; url: string } | null;
  demoVideoUrl: string | null;
  /** The pages that the owner has written. */
  pages: StorePage[];
  /** Whether the owner has chosen a tool for the daily giveaway. */
  hasGiveaway: boolean;
}

/** The pages of the shop with a text of its owner, as in their addresses, in the order of the footer. */
export const STORE_PAGES = ["terms", "refunds", "privacy", "contact"] as const;
export type StorePage = (typeof STORE_PAGES)[number];

/** The names of the texts in the stored settings. */
const TEXT_KEYS = { terms: "terms", refunds: "refund", privacy: "privacy", contact: "contact" } as const;

/** What the database stores about the shop. */
export type StoredSettings = z.output<typeof storedStoreSchema>;

export const DEFAULT_STORE_NAME = "Daypass";
const CLAIM_LABELS = [
  ["rating", "average rating"],
  ["users", "users"],
  ["tools", "tools"],
  ["satisfaction", "satisfaction"],
  ["support", "support"],
] as const;

/** The store settings for a page, in the language of the request. Values from the environment override stored ones. Open to all. */
export async function readStoreSettings(ctx: Context): Promise<StoreSettings> {
  const { settings, translations } = await readEachLanguage(ctx);
  const { headline, benefits } = translationOf(ctx, translations);
  return {
    ...settings,
    headline: settings.headline && (headline ?? settings.headline),
    benefits: settings.benefits && (benefits ?? settings.benefits),
  };
}

const readEachLanguage = keepUntilChange(async (ctx) => ({
  settings: await readStoreSettingsIn(ctx, ctx.db),
  translations: await readTranslations(ctx, ctx.db, { withTexts: false }),
}));

/** The store settings as a transaction sees them, in English. */
export async function readStoreSettingsIn(ctx: Context, executor: Executor): Promise<StoreSettings> {
  // Every page reads the settings, and none of them shows the texts.
  const setting = await selectSettingsWithoutTexts(executor);
  const stored = parseStored(ctx, setting?.value);
  const { supportPhones, dealsChannelUrl, demoVideoUrl } = ctx.store;
  const channelUrl = dealsChannelUrl ?? stored?.dealsChannel?.url;
  return {
    name: stored?.name ?? DEFAULT_STORE_NAME,
    claims: CLAIM_LABELS.flatMap(([key, label]) => {
      const value = stored?.claims[key];
      return value === undefined ? [] : [{ value, label }];
    }),
    headline: stored?.headline ?? null,
    accent: stored?.accent ?? "marigold",
    benefits: stored?.benefits ?? null,
    seller: stored?.seller ?? null,
    claimsAreExamples: stored?.claimsAreExamples ?? false,
    supportPhones: (
      supportPhones?.map((number) => ({ label: null, number })) ??
      stored?.supportPhones ??
      []
    ).map(({ label, number }, at) => {
      const hasOwnLabel = label !== null && !isSupportChatLabel(label);
      return { label: hasOwnLabel ? label : supportChatLabel(at + 1), hasOwnLabel, number };
    }),
    dealsChannel: channelUrl
      ? { label: stored?.dealsChannel?.label ?? DEALS_CHANNEL, url: channelUrl }
      : null,
    demoVideoUrl: demoVideoUrl ?? stored?.demoVideoUrl ?? null,
    pages: stored ? STORE_PAGES.filter((page) => setting?.filledKeys.includes(TEXT_KEYS[page])) : [],
    hasGiveaway: stored?.giveawayToolSlug !== undefined,
  };
}

/** The owner's texts of a page in all languages. Open to all. */
export async function readStorePageInAllLanguages(ctx: Context): Promise<Record<StorePage, string[]>> {
  allowAnyone(ctx);
  const stored = await readStoredSettings(ctx, ctx.db);
  const versions = [stored ?? {}, ...Object.values(stored?.translations ?? {})];
  const textsOf = (page: StorePage) => versions.flatMap(({ texts }) => texts?.[TEXT_KEYS[page]] ?? []);
  return {
    terms: textsOf("terms"),
    refunds: textsOf("refunds"),
    privacy: textsOf("privacy"),
    contact: textsOf("contact"),
  };
}

/**
 * The owner's text of a page in the language of the request, otherwise in English: plain text with an empty line between
 * paragraphs; null when there is none in English. Open to all.
 */
export async function readStorePage(ctx: Context, page: StorePage): Promise<string | null> {
  allowAnyone(ctx);
  const stored = await readStoredSettings(ctx, ctx.db);
  const key = TEXT_KEYS[page];
  const english = stored?.texts?.[key]?.trim() || null;
  return english && (translationOf(ctx, stored?.translations).texts?.[key] ?? english);
}

/** The stored settings; null when there are none, or when they are invalid. */
export async function readStoredSettings(ctx: Context, executor: Executor): Promise<StoredSettings | null> {
  const stored = parseStored(ctx, await selectSetting(executor, STORE_SETTINGS_KEY));
  const translations = await readTranslations(ctx, executor, { withTexts: true });
  return stored && { ...stored, ...(Object.keys(translations).length > 0 && { translations }) };
}

/** Stores the settings in place of those that are there. */
export async function saveStoredSettings(executor: Executor, stored: StoredSettings): Promise<void> {
  const { translations = {}, ...store } = stored;
  await saveSetting(executor, STORE_SETTINGS_KEY, store);
  await saveSetting(executor, STORE_TRANSLATIONS_KEY, translations);
}

/** Languages that the shop does not have are left out. */
async function readTranslations(
  ctx: Pick<Context, "log">,
  executor: Executor,
  { withTexts }: { withTexts: boolean },
): Promise<NonNullable<StoredSettings["translations"]>> {
  const value = OTHER_LANGUAGES.reduce(
    (rest, language) => (withTexts ? rest : sql`${rest} #- array[${language}::text, 'texts']`),
    sql`${settings.value}`,
  );
  const [row] = await executor
    .select({ value: sql<Record<string, unknown> | null>`${value}` })
    .from(settings)
    .where(eq(settings.key, STORE_TRANSLATIONS_KEY));
  const known = OTHER_LANGUAGES.flatMap((language) => {
    const texts = row?.value?.[language];
    return texts === undefined ? [] : [[language, texts]];
  });
  const parsed = storeTranslationsSchema.safeParse(Object.fromEntries(known));
  if (!parsed.success) ctx.log.warn({ problems: parsed.error.message }, "invalid translations of the store");
  return parsed.data ?? {};
}

function parseStored(ctx: Pick<Context, "log">, value: unknown): StoredSettings | null {
  if (value === undefined) return null;
  const parsed = storedStoreSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  // An invalid setting must not stop the shop from selling.
  ctx.log.warn({ problems: parsed.error.issues.map((issue) => issue.message) }, "invalid store settings");
  return null;
}

/** The owner's rules for installations of the extension; a number that is not set is absent. */
export async function readDeviceSettings(
  ctx: Context,
  executor: Executor,
): Promise<NonNullable<StoredSettings["devices"]>> {
  const stored = parseStored(ctx, (await selectSettingsWithoutTexts(executor))?.value);
  return stored?.devices ?? {};
}

/** When sessions of admins end; a number that is not set is absent. */
export async function readAdminSessionSettings(
  ctx: Pick<Context, "log">,
  executor: Executor,
): Promise<NonNullable<StoredSettings["adminSessions"]>> {
  const stored = parseStored(ctx, (await selectSettingsWithoutTexts(executor))?.value);
  return stored?.adminSessions ?? {};
}

/** The owner's choice for the daily giveaway; null: no tool is given away. `validityDays` is null by default. Open to all. */
export async function readGiveawaySettings(
  ctx: Context,
): Promise<{ toolSlug: string; validityDays: number | null } | null> {
  allowAnyone(ctx);
  const stored = parseStored(ctx, (await selectSettingsWithoutTexts(ctx.db))?.value);
  if (stored?.giveawayToolSlug === undefined) return null;
  return { toolSlug: stored.giveawayToolSlug, validityDays: stored.giveawayValidityDays ?? null };
}

export async function selectSetting(executor: Executor, key: string): Promise<unknown> {
  const [row] = await executor.select({ value: settings.value }).from(settings).where(eq(settings.key, key));
  return row?.value;
}

/** The settings of the store without the texts of its pages, which are long, and the keys of the English ones that are there. */
async function selectSettingsWithoutTexts(
  executor: Executor,
): Promise<{ value: unknown; filledKeys: string[] } | undefined> {
  const texts = sql`case when jsonb_typeof(${settings.value} -> 'texts') = 'object'
    then ${settings.value} -> 'texts' else '{}'::jsonb end`;
  const [row] = await executor
    .select({
      value: sql<unknown>`${settings.value} - 'texts'`,
      filledKeys: sql<string[]>`array(select key from jsonb_each_text(${texts}) where trim(value) <> '')`,
    })
    .from(settings)
    .where(eq(settings.key, STORE_SETTINGS_KEY));
  return row;
}

export async function saveSetting(executor: Executor, key: string, value: unknown): Promise<void> {
  await executor
    .insert(settings)
    .values({ key, value })
    .onConflictDoUpdate({ target: settings.key, set: { value, updatedAt: sql`now()` } });
  changed(executor, settings);
}
