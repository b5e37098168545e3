import type { Context } from "#core/context.ts";
import { listMyPasses } from "#core/entitlements/list-my-passes.server.ts";

/** Until when the actor may open each tool, by its slug. Empty for a visitor. */
export async function readAccess(ctx: Context): Promise<Map<string, Date>> {
  if (ctx.actor.kind === "visitor") return new Map();
  const { active } = await listMyPasses(ctx);
  return new Map(
    active.flatMap(({ toolSlug, expiresAt }) => (toolSlug === null ? [] : [[toolSlug, expiresAt]])),
  );
}
