import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { fingerprintOf } from "../../fingerprint.ts";
import { DEFAULT_STORE_NAME, readStoredSettings, type StoredSettings } from "../store-settings.server.ts";

/** What the form of the store settings shows. Anything not set is absent, empty or null. */
export interface StoreSettingsToEdit {
  name: string;
  claims: NonNullable<StoredSettings["claims"]>;
  supportPhones: { label: string; number: string }[];
  dealsChannel: { label: string; url: string } | null;
  demoVideoUrl: string | null;
  giveawayToolSlug: string | null;
  /** null: the default of the shop. */
  giveawayValidityDays: number | null;
  devices: NonNullable<StoredSettings["devices"]>;
  adminSessions: NonNullable<StoredSettings["adminSessions"]>;
  texts: NonNullable<StoredSettings["texts"]>;
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
    claims: stored?.claims ?? {},
    supportPhones:
      set.supportPhones?.map((number, at) => ({ label: `Support chat ${at + 1}`, number })) ??
      stored?.supportPhones ??
      [],
    dealsChannel: channelUrl ? { label: channel?.label ?? "Deals channel", url: channelUrl } : null,
    demoVideoUrl: set.demoVideoUrl ?? stored?.demoVideoUrl ?? null,
    giveawayToolSlug: stored?.giveawayToolSlug ?? null,
    giveawayValidityDays: stored?.giveawayValidityDays ?? null,
    devices: stored?.devices ?? {},
    adminSessions: stored?.adminSessions ?? {},
    texts: stored?.texts ?? {},
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
