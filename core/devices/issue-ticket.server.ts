import { deviceTickets } from "#db/tables/devices.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { TICKET_VALID_MS } from "./rules.ts";
import { hashToken, makeToken } from "./tokens.ts";

/**
 * A ticket with which the extension of this browser connects to the account of the session: valid once, for a minute.
 *
 * @throws DomainError 'unauthenticated'
 */
export async function issueTicket(ctx: Context): Promise<string> {
  const { userId } = requireSignedIn(ctx);
  const ticket = makeToken();
  const expiresAt = new Date(ctx.clock.now().getTime() + TICKET_VALID_MS);
  await ctx.db.insert(deviceTickets).values({ ticketHash: hashToken(ticket), userId, expiresAt });
  return ticket;
}
