import { z } from "zod";
import { formatPaise } from "#core/money.ts";
import type { TimelineEntry } from "#core/passes/purchase-timeline.ts";
import { formatDateTime } from "#core/time.ts";

/** It is made at the payment provider; the shop only records it. */
const PART_REFUNDED = "payment.part-refunded";

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ["purchase.assigned", "Assigned"],
  ["giveaway.claimed", "Claimed in the giveaway"],
  ["purchase.extended", "Extended"],
  ["purchase.expiry-set", "Expiry date changed"],
  ["purchase.cancelled", "Cancelled"],
  ["purchase.deleted", "Deleted"],
  ["refund.requested", "Refund requested"],
  ["refund.reopened", "Refund tried again"],
  ["payment.left-uncaptured", "Payment not collected"],
  [PART_REFUNDED, "Part of the payment was refunded on the payment provider’s pages"],
]);

const ACTORS = { admin: "an admin", system: "the shop", user: "the buyer", visitor: "a visitor" };

const text = z.string().min(1).optional().catch(undefined);
const paise = z.number().optional().catch(undefined);
const expiry = z.object({ expiresAt: z.coerce.date() }).optional().catch(undefined);

const detailsSchema = z.object({
  reason: text,
  refund: z.boolean().optional().catch(undefined),
  paidBackPaise: paise,
  before: expiry,
  after: expiry,
});

/** What a timeline says about an audit event: what was done, by whom, and the facts of it that a person understands. */
export function describeAudit(
  { action, actorKind, details }: TimelineEntry & { kind: "audit" },
  timeZone: string,
): { title: string; details: string[] } {
  const { reason, refund, paidBackPaise, before, after } = detailsSchema.parse(details);
  const facts: string[] = [];
  if (before && after && before.expiresAt.getTime() !== after.expiresAt.getTime()) {
    const [from, to] = [before, after].map(({ expiresAt }) => formatDateTime(expiresAt, timeZone));
    facts.push(`End: ${from} → ${to}`);
  }
  if (paidBackPaise) facts.push(`${formatPaise(paidBackPaise)} to be refunded`);
  if (refund === false) facts.push("Without a refund");
  if (reason && action.startsWith("purchase.")) facts.push(`Reason: ${reason}`);
  const done = ACTIONS.get(action) ?? "Changed";
  const isOnlyRecorded = action === PART_REFUNDED && actorKind === "system";
  return { title: isOnlyRecorded ? done : `${done} by ${ACTORS[actorKind]}`, details: facts };
}
