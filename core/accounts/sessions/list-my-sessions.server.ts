import { requireSignedIn } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { browserName, isHandheld } from "./browser-name.ts";
import { selectSessions } from "./queries.server.ts";

export interface MySession {
  id: string;
  /** Such as "Chrome on Android". */
  browser: string;
  isHandheld: boolean;
  /** Whether the request came with this session. */
  isCurrent: boolean;
  signedInAt: Date;
  /** Stored at most once an hour. */
  lastSeenAt: Date;
}

/**
 * Where the signed-in person is signed in: the session of the request first, then those seen last.
 *
 * @throws DomainError unauthenticated
 */
export async function listMySessions(ctx: Context): Promise<MySession[]> {
  const { userId, sessionId } = requireSignedIn(ctx, "reads");
  const now = ctx.clock.now();
  const rows = await selectSessions(ctx.db, { userId, now });
  return rows
    .map(({ id, userAgent, createdAt, updatedAt }) => ({
      id,
      browser: browserName(userAgent),
      isHandheld: isHandheld(userAgent),
      isCurrent: id === sessionId,
      signedInAt: createdAt,
      lastSeenAt: id === sessionId ? now : updatedAt,
    }))
    .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
}
