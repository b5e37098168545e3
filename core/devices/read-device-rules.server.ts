import type { Executor } from "#db/database.ts";
import { readDeviceSettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { DEFAULT_DEVICE_RULES } from "./rules.ts";

/** How many devices a buyer may have and release: the owner's numbers, else the defaults. The caller authorises. */
export async function readDeviceRules(
  ctx: Context,
  executor: Executor,
): Promise<typeof DEFAULT_DEVICE_RULES> {
  const { perUser, releasesPer30Days } = await readDeviceSettings(ctx, executor);
  return {
    devicesPerUser: perUser ?? DEFAULT_DEVICE_RULES.devicesPerUser,
    releasesPerPeriod: releasesPer30Days ?? DEFAULT_DEVICE_RULES.releasesPerPeriod,
  };
}
