import { eq } from "drizzle-orm";
import { sessions } from "#db/tables/accounts.ts";
import { deviceTickets } from "#db/tables/devices.ts";
import { inTransaction } from "#db/transaction.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { TICKET_VALID_MS } from "./rules.ts";
import { hashToken, makeToken } from "./tokens.ts";

/**
 * A ticket with which the extension of this browser connects to the account of the session: valid once, for a minute. Whoever
 * ends a session deletes the tickets of its account afterwards. Because the session is locked here, no ticket of an ended
 * session is left.
 *
 * @throws DomainError 'unauthenticated', also when the session has just ended; 'password-needed'
 */
export async function issueTicket(ctx: Context): Promise<string> {
  const { userId, sessionId } = requireSignedIn(ctx, "changes-access");
  const ticket = makeToken();
  const expiresAt = new Date(ctx.clock.now().getTime() + TICKET_VALID_MS);
  await inTransaction(ctx.db, async (tx) => {
    const running = await tx
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.id, sessionId))
      .for("key share");
    if (running.length === 0) throw new DomainError("unauthenticated");
    await tx.insert(deviceTickets).values({ ticketHash: hashToken(ticket), userId, expiresAt });
  });
  return ticket;
}
