import type { Context } from "../context.ts";
import { storeSchema } from "./catalogue-file-schemas.ts";
import { selectSetting } from "./queries.server.ts";
import { STORE_SETTINGS_KEY } from "./seed-catalogue.server.ts";

/** A claim about the shop, such as { value: "10K+", label: "users" }. */
export interface Claim {
  value: string;
  label: string;
}

/** What the owner has set about the shop. Anything not set is empty or null, and is not shown. */
export interface StoreSettings {
  name: string;
  claims: Claim[];
  /** Numbers with + and country code. */
  supportPhones: Array<{ label: string; number: string }>;
  dealsChannel: { label: string; url: string } | null;
  demoVideoUrl: string | null;
}

const DEFAULT_NAME = "Daypass";
const CLAIM_LABELS = [
  ["rating", "average rating"],
  ["users", "users"],
  ["tools", "tools"],
  ["satisfaction", "satisfaction"],
  ["support", "support"],
] as const;

/** The store settings. Values from the environment override stored ones. Open to all. */
export async function readStoreSettings(ctx: Context): Promise<StoreSettings> {
  const stored = await readStoredSettings(ctx);
  const { supportPhones, dealsChannelUrl, demoVideoUrl } = ctx.store;
  const channelUrl = dealsChannelUrl ?? stored?.dealsChannel?.url;
  return {
    name: stored?.name ?? DEFAULT_NAME,
    claims: CLAIM_LABELS.flatMap(([key, label]) => {
      const value = stored?.claims[key];
      return value === undefined ? [] : [{ value, label }];
    }),
    supportPhones:
      supportPhones?.map((number, at) => ({ label: `Support chat ${at + 1}`, number })) ??
      stored?.supportPhones ??
      [],
    dealsChannel: channelUrl
      ? { label: stored?.dealsChannel?.label ?? "Deals channel", url: channelUrl }
      : null,
    demoVideoUrl: demoVideoUrl ?? stored?.demoVideoUrl ?? null,
  };
}

async function readStoredSettings(ctx: Context) {
  const value = await selectSetting(ctx.db, STORE_SETTINGS_KEY);
  if (value === undefined) return null;
  const parsed = storeSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  // An invalid setting must not stop the shop from selling.
  ctx.log.warn({ problems: parsed.error.issues.map((issue) => issue.message) }, "invalid store settings");
  return null;
}
