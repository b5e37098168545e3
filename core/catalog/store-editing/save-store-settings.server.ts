import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { inTransaction } from "#db/transaction.ts";
import { changedFields, recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context, StoreConfig } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { fingerprintOf } from "../../fingerprint.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { isToolSlug, saveSetting } from "../queries.server.ts";
import { STORE_SETTINGS_KEY } from "../seed-catalogue.server.ts";
import { readStoredSettings, type StoredSettings } from "../store-settings.server.ts";
import { type StoreSettingsInput, storeSettingsSchema } from "./schemas.ts";

/**
 * Saves the store settings. What a variable of the environment sets keeps its stored value.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found' (the tool of the giveaway),
 *   'changed-meanwhile' (the stored settings are no longer those that the form showed)
 */
export async function saveStoreSettings(
  ctx: Context,
  input: z.input<typeof storeSettingsSchema> | UntrustedInput,
): Promise<{ shown: string }> {
  requireAdmin(ctx, "redirects-buyers");
  const sent = parseInput(storeSettingsSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await readStoredSettings(ctx, tx);
    if (fingerprintOf(before) !== sent.shown) throw new DomainError("changed-meanwhile");
    await requireGiveawayTool(tx, sent.giveawayToolSlug);
    const after = toStoredSettings(sent, before, ctx.store);
    await saveSetting(tx, STORE_SETTINGS_KEY, after);
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

/** A field that was never filled in has no value, and one that is saved empty may be an empty list or object. */
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
  const phones = sent.supportPhones.flatMap(({ label, number }, at) =>
    number === null ? [] : [{ label: label ?? `Support chat ${at + 1}`, number }],
  );
  // The variable's address is stored with the name that belongs to it.
  const channelUrl =
    set.dealsChannelUrl === null ? sent.dealsChannel.url : (before?.dealsChannel?.url ?? set.dealsChannelUrl);
  const channelLabel = sent.dealsChannel.label ?? "Deals channel";
  const demoVideoUrl = set.demoVideoUrl === null ? sent.demoVideoUrl : before?.demoVideoUrl;
  const devices = withoutNulls(sent.devices);
  const adminSessions = withoutNulls(sent.adminSessions);
  const texts = withoutNulls(sent.texts);
  return {
    name: sent.name,
    claims: withoutNulls(sent.claims),
    supportPhones: set.supportPhones === null ? phones : (before?.supportPhones ?? []),
    ...(channelUrl && { dealsChannel: { label: channelLabel, url: channelUrl } }),
    ...(demoVideoUrl && { demoVideoUrl }),
    ...(sent.giveawayToolSlug !== null && { giveawayToolSlug: sent.giveawayToolSlug }),
    ...(sent.giveawayValidityDays !== null && { giveawayValidityDays: sent.giveawayValidityDays }),
    ...(Object.keys(devices).length > 0 && { devices }),
    ...(Object.keys(adminSessions).length > 0 && { adminSessions }),
    ...(Object.keys(texts).length > 0 && { texts }),
  };
}
