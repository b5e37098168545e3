import type { Context } from "../../context.ts";
import { hasAdminSession } from "../queries.server.ts";

/**
 * Whether the actor is an admin whose session still runs, for what outlives one request. It does not extend the session.
 */
export async function isStillAdmin(ctx: Pick<Context, "actor" | "db" | "clock">): Promise<boolean> {
  const { actor } = ctx;
  return actor.kind === "admin" && hasAdminSession(ctx.db, actor.sessionId, ctx.clock.now());
}
