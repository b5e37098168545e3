import type { Executor } from "#db/database.ts";
import { readAdminSessionSettings } from "../../catalog/store-settings.server.ts";
import type { Context } from "../../context.ts";
import { DAY, HOUR, MINUTE } from "../../time.ts";
import type { SessionRule } from "../authenticator.ts";
import { type Account, findAccountById } from "../queries.server.ts";
import { DEFAULT_ADMIN_SESSIONS } from "./admin-session-defaults.ts";

/** How often the use of an admin's session is recorded, and so how precise its idle end is. */
const ADMIN_SEEN_EVERY_MS = 5 * MINUTE;

/** How long a session of an admin may be idle and may last, in ms: the owner's numbers, else the defaults. */
export async function readAdminSessionLimits(
  ctx: Pick<Context, "log">,
  executor: Executor,
): Promise<{ idleMs: number; lifeMs: number }> {
  const { idleHours, maxDays } = DEFAULT_ADMIN_SESSIONS;
  const chosen = await readAdminSessionSettings(ctx, executor);
  return { idleMs: (chosen.idleHours ?? idleHours) * HOUR, lifeMs: (chosen.maxDays ?? maxDays) * DAY };
}

/** The rule for sessions of admins, and the account that it has read; undefined before a session was checked. */
export function adminSessionRule(ctx: Context): { rule: SessionRule; account: () => Account | undefined } {
  let account: Account | undefined;
  const rule: SessionRule = async ({ userId, createdAt, seenAt }, now) => {
    account = await findAccountById(ctx.db, userId);
    if (account?.role !== "admin") return { isEnded: false };
    const { idleMs, lifeMs } = await readAdminSessionLimits(ctx, ctx.db);
    const isEnded =
      now.getTime() - seenAt.getTime() >= idleMs || now.getTime() - createdAt.getTime() >= lifeMs;
    return { isEnded, seenEveryMs: ADMIN_SEEN_EVERY_MS };
  };
  return { rule, account: () => account };
}
