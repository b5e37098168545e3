import { z } from "zod";
import type { Purchase } from "#db/tables/purchases.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { isActivePassRow } from "../pass-validity.server.ts";
import { accessEndOf } from "../purchases/purchase-machine.ts";
import { accountExists, selectUserPurchases } from "./queries.server.ts";

/** Only the newest purchases of a user are listed. */
const PURCHASES_LISTED = 200;

const listUserPurchasesInput = z.object({ userId: z.uuid() });

/** A purchase of a user, as an admin sees it. */
export interface UserPurchase {
  id: string;
  /** The tool as it is now; null when it is deleted or unknown. */
  toolName: string | null;
  description: string | null;
  /** The tool's name at the time of the purchase. */
  purchasedName: string;
  amountPaise: number;
  status: Purchase["status"];
  /** Why it ended early; null: it did not. */
  endedReason: Purchase["endedReason"];
  source: Purchase["source"];
  testMode: boolean;
  purchasedAt: Date;
  /** null while nothing is paid. */
  expiresAt: Date | null;
  /** When access ends or has ended; null without a pass. */
  accessEndsAt: Date | null;
  /** It opens the tool now. */
  isActive: boolean;
}

/**
 * The purchases of a user, newest first, at most 200. Deleted ones are left out.
 *
 * @throws DomainError unauthenticated, forbidden, not-found, invalid-input
 */
export async function listUserPurchases(
  ctx: Context,
  input: z.input<typeof listUserPurchasesInput> | UntrustedInput,
): Promise<UserPurchase[]> {
  requireAdmin(ctx, "reads");
  const { userId } = parseInput(listUserPurchasesInput, input);
  if (!(await accountExists(ctx.db, userId))) throw new DomainError("not-found");
  const now = ctx.clock.now();
  const rows = await selectUserPurchases(ctx.db, { userId, limit: PURCHASES_LISTED });
  return rows.map(({ startsAt, endedAt, ...row }) => ({
    ...row,
    accessEndsAt: accessEndOf({ ...row, endedAt }),
    isActive: isActivePassRow({ ...row, startsAt, endedAt }, now),
  }));
}
