import { z } from "zod";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { type DeviceView, selectDevices } from "./queries.server.ts";

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
