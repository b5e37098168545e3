import { isDeepStrictEqual } from "node:util";
import { and, eq, isNull } from "drizzle-orm";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { tools } from "#db/tables/catalog.ts";
import { inTransaction } from "#db/transaction.ts";
import { changedFields, recordAudit } from "../audit/record-audit.server.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context, StoreConfig } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { fingerprintOf } from "../vault/fingerprint.ts";
import { type Accent, DEALS_CHANNEL, isSupportChatLabel, supportChatLabel } from "./limits.ts";
import { type StoreSettingsInput, storeSettingsSchema } from "./store-schemas.ts";
import {
  DEFAULT_STORE_NAME,
  readStoredSettings,
  type Seller,
  type StoredSettings,
  saveStoredSettings,
} from "./store-settings.server.ts";

/** What the form of the store settings shows. Anything not set is absent, empty or null. */
export interface StoreSettingsToEdit {
  name: string;
  /** null: the default. */
  headline: string | null;
  accent: Accent;
  /** Empty: the default ones. */
  benefits: readonly string[];
  seller: Partial<Seller>;
  claims: NonNullable<StoredSettings["claims"]>;
  /** The claims are the demo's until another claim is saved. */
  claimsAreExamples: boolean;
  supportPhones: { label: string; number: string }[];
  dealsChannel: { label: string; url: string } | null;
  demoVideoUrl: string | null;
  giveawayToolSlug: string | null;
  /** null: the default of the shop. */
  giveawayValidityDays: number | null;
  devices: NonNullable<StoredSettings["devices"]>;
  adminSessions: NonNullable<StoredSettings["adminSessions"]>;
  texts: NonNullable<StoredSettings["texts"]>;
  translations: NonNullable<StoredSettings["translations"]>;
  /** The time zone of dates and days. A variable of the environment sets it. */
  timeZone: string;
  /** Set by a variable of the environment, which has precedence: the form shows the value and cannot change it. */
  readOnly: { supportPhones: boolean; dealsChannelUrl: boolean; demoVideoUrl: boolean; timeZone: true };
  /** The fingerprint of the stored settings. `saveStoreSettings` needs it. */
  shown: string;
}

/** The store settings for their form. @throws DomainError 'unauthenticated', 'forbidden' */
export async function readStoreSettingsToEdit(ctx: Context): Promise<StoreSettingsToEdit> {
  requireAdmin(ctx, "reads");
  const stored = await readStoredSettings(ctx, ctx.db);
  const { timeZone, ...set } = ctx.store;
  const channel = stored?.dealsChannel;
  const channelUrl = set.dealsChannelUrl ?? channel?.url;
  return {
    name: stored?.name ?? DEFAULT_STORE_NAME,
    headline: stored?.headline ?? null,
    accent: stored?.accent ?? "marigold",
    benefits: stored?.benefits ?? [],
    seller: stored?.seller ?? {},
    claims: stored?.claims ?? {},
    claimsAreExamples: stored?.claimsAreExamples ?? false,
    supportPhones:
      set.supportPhones?.map((number, at) => ({ label: supportChatLabel(at + 1), number })) ??
      stored?.supportPhones ??
      [],
    dealsChannel: channelUrl ? { label: channel?.label ?? DEALS_CHANNEL, url: channelUrl } : null,
    demoVideoUrl: set.demoVideoUrl ?? stored?.demoVideoUrl ?? null,
    giveawayToolSlug: stored?.giveawayToolSlug ?? null,
    giveawayValidityDays: stored?.giveawayValidityDays ?? null,
    devices: stored?.devices ?? {},
    adminSessions: stored?.adminSessions ?? {},
    texts: stored?.texts ?? {},
    translations: stored?.translations ?? {},
    timeZone,
    readOnly: {
      supportPhones: set.supportPhones !== null,
      dealsChannelUrl: set.dealsChannelUrl !== null,
      demoVideoUrl: set.demoVideoUrl !== null,
      timeZone: true,
    },
    shown: fingerprintOf(stored),
  };
}

/**
 * Saves the store settings. What a variable of the environment sets keeps its stored value.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found' (the tool of the
 *   giveaway), 'changed-meanwhile' (the stored settings are no longer those that the form showed)
 */
export async function saveStoreSettings(
  ctx: Context,
  input: z.input<typeof storeSettingsSchema> | UntrustedInput,
): Promise<{ shown: string }> {
  requireAdmin(ctx, "changes-shop");
  const sent = parseInput(storeSettingsSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await readStoredSettings(ctx, tx);
    if (fingerprintOf(before) !== sent.shown) throw new DomainError("changed-meanwhile");
    await requireGiveawayTool(tx, sent.giveawayToolSlug);
    const after = toStoredSettings(sent, before, ctx.store);
    await saveStoredSettings(tx, after);
    const keys = Object.keys({ ...before, ...after });
    const allKeys = (settings: object | null) => {
      const values = new Map<string, unknown>(Object.entries(settings ?? {}));
      return Object.fromEntries(keys.map((key) => [key, isEmpty(values.get(key)) ? null : values.get(key)]));
    };
    await recordAudit(ctx, tx, {
      action: "store-settings.saved",
      subjectType: "store",
      details: changedFields(allKeys(before), allKeys(after)),
    });
    return { shown: fingerprintOf(after) };
  });
}

/** A field that was never filled in has no value, and a field that is saved empty may be an empty list or object. */
const isEmpty = (value: unknown) =>
  value === undefined || (typeof value === "object" && Object.keys(value ?? {}).length === 0);

async function requireGiveawayTool(tx: Transaction, slug: string | null): Promise<void> {
  if (slug !== null && !(await isToolSlug(tx, slug))) throw new DomainError("tool-not-found");
}

/** The members that have a value. */
function withoutNulls<Key extends string, Value>(
  record: Record<Key, Value | null>,
): Partial<Record<Key, Value>> {
  const result: Partial<Record<Key, Value>> = {};
  for (const key in record) {
    const value = record[key];
    if (value !== null) result[key] = value;
  }
  return result;
}

function toStoredSettings(
  sent: StoreSettingsInput,
  before: StoredSettings | null,
  set: StoreConfig,
): StoredSettings {
  const phones = sent.supportPhones
    .flatMap(({ label, number }) => (number === null ? [] : [{ label, number }]))
    .map(({ label, number }, at) => ({
      label: label === null || isSupportChatLabel(label) ? supportChatLabel(at + 1) : label,
      number,
    }));
  // The variable's address is stored with the name that belongs to it.
  const channelUrl =
    set.dealsChannelUrl === null ? sent.dealsChannel.url : (before?.dealsChannel?.url ?? set.dealsChannelUrl);
  const channelLabel = sent.dealsChannel.label ?? DEALS_CHANNEL;
  const demoVideoUrl = set.demoVideoUrl === null ? sent.demoVideoUrl : before?.demoVideoUrl;
  const devices = withoutNulls(sent.devices);
  const adminSessions = withoutNulls(sent.adminSessions);
  const texts = withoutNulls(sent.texts);
  const claims = withoutNulls(sent.claims);
  const areExamples = before?.claimsAreExamples === true && isDeepStrictEqual(claims, before.claims);
  const { name: seller, city, since, gstin } = sent.seller;
  return {
    name: sent.name,
    ...(sent.headline !== null && { headline: sent.headline }),
    ...(sent.accent !== "marigold" && { accent: sent.accent }),
    ...(sent.benefits.length > 0 && { benefits: sent.benefits }),
    ...(seller !== null && {
      seller: {
        name: seller,
        ...(city !== null && { city }),
        ...(since !== null && { since }),
        ...(gstin !== null && { gstin }),
      },
    }),
    claims,
    ...(areExamples && { claimsAreExamples: true }),
    supportPhones: set.supportPhones === null ? phones : (before?.supportPhones ?? []),
    ...(channelUrl && { dealsChannel: { label: channelLabel, url: channelUrl } }),
    ...(demoVideoUrl && { demoVideoUrl }),
    ...(sent.giveawayToolSlug !== null && { giveawayToolSlug: sent.giveawayToolSlug }),
    ...(sent.giveawayValidityDays !== null && { giveawayValidityDays: sent.giveawayValidityDays }),
    ...(Object.keys(devices).length > 0 && { devices }),
    ...(Object.keys(adminSessions).length > 0 && { adminSessions }),
    ...(Object.keys(texts).length > 0 && { texts }),
    ...(Object.keys(sent.translations).length > 0 && { translations: sent.translations }),
  };
}

/** Whether a tool with this slug exists and is not deleted, on sale or not. */
async function isToolSlug(tx: Transaction, slug: string): Promise<boolean> {
  return (await tx.$count(tools, and(eq(tools.slug, slug), isNull(tools.deletedAt)))) > 0;
}
