import type { Context } from "../../context.ts";
import { hasAdminSession } from "../queries.server.ts";
import { readAdminSessionLimits } from "./admin-session-rules.server.ts";

/**
 * Whether the actor is an admin whose session still runs, for what outlives one request. It does not extend the session.
 */
export async function isStillAdmin(ctx: Pick<Context, "actor" | "db" | "clock" | "log">): Promise<boolean> {
  const { actor } = ctx;
  if (actor.kind !== "admin") return false;
  const limits = await readAdminSessionLimits(ctx, ctx.db);
  return hasAdminSession(ctx.db, actor.sessionId, { now: ctx.clock.now(), ...limits });
}
