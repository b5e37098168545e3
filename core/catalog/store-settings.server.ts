import type { Context } from "../context.ts";
import { storeSchema } from "./catalogue-file-schemas.ts";
import { selectSetting } from "./queries.server.ts";
import { STORE_SETTINGS_KEY } from "./seed-catalogue.server.ts";

/** A figure the shop shows about itself, such as { value: "10K+", label: "users" }. */
export interface Claim {
  value: string;
  label: string;
}

/** What the shop says about itself. Nothing is made up: what the owner did not set is absent and stays hidden. */
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

/** Reads the store's settings; what the environment sets wins. Open to all. */
export async function readStoreSettings(ctx: Context): Promise<StoreSettings> {
  const stored = await readStored(ctx);
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

async function readStored(ctx: Context) {
  const value = await selectSetting(ctx.db, STORE_SETTINGS_KEY);
  if (value === undefined) return null;
  const parsed = storeSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  // A shop with a broken setting still sells; the owner reads why it looks bare.
  ctx.log.warn(
    { problems: parsed.error.issues.map((issue) => issue.message) },
    "the store's settings cannot be read",
  );
  return null;
}
