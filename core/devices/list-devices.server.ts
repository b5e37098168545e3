import { z } from "zod";
import { requireAdmin, requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { countReleases, type DeviceView, selectDevices } from "./queries.server.ts";
import { readDeviceRules } from "./read-device-rules.server.ts";
import { RELEASE_PERIOD_MS } from "./rules.ts";

export interface MyDevices {
  devices: DeviceView[];
  /** How many devices may be connected at the same time. */
  limit: number;
  /** How many the buyer may release now. */
  releasesLeft: number;
}

/** The connected devices of the signed-in user. @throws DomainError 'unauthenticated' */
export async function listMyDevices(ctx: Context): Promise<MyDevices> {
  const { userId } = requireSignedIn(ctx, "reads");
  const { devicesPerUser, releasesPerPeriod } = await readDeviceRules(ctx, ctx.db);
  const now = ctx.clock.now();
  const since = new Date(now.getTime() - RELEASE_PERIOD_MS);
  const releases = await countReleases(ctx.db, userId, since);
  return {
    devices: await selectDevices(ctx.db, userId, now),
    limit: devicesPerUser,
    releasesLeft: Math.max(0, releasesPerPeriod - releases),
  };
}

const inputSchema = z.object({ userId: z.uuid() });

/** The connected devices of a user, for the admin. @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input' */
export async function listDevicesOfUser(
  ctx: Context,
  input: z.input<typeof inputSchema> | UntrustedInput,
): Promise<DeviceView[]> {
  requireAdmin(ctx, "reads");
  const { userId } = parseInput(inputSchema, input);
  return selectDevices(ctx.db, userId, ctx.clock.now());
}
