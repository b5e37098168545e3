import { z } from "zod";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { isActivePass } from "../../pass-validity.server.ts";
import { countPassesAndCheckouts, findAccountById } from "../queries.server.ts";

const describeUserDeletionInput = z.object({ userId: z.uuid() });

/** What ends when an account is deleted, for the confirmation. */
export interface UserDeletion {
  email: string;
  displayName: string;
  /** Passes that open a tool now. */
  runningPasses: number;
  /** Checkouts that are not paid yet. */
  openCheckouts: number;
}

/**
 * What goes with an account: `deleteUser` ends these passes and checkouts.
 *
 * @throws DomainError unauthenticated, forbidden (also for an admin's account), not-found (also deleted), invalid-input
 */
export async function describeUserDeletion(
  ctx: Context,
  input: z.input<typeof describeUserDeletionInput> | UntrustedInput,
): Promise<UserDeletion> {
  requireAdmin(ctx, "reads");
  const { userId } = parseInput(describeUserDeletionInput, input);
  const account = await findAccountById(ctx.db, userId);
  if (!account) throw new DomainError("not-found");
  if (account.role === "admin") throw new DomainError("forbidden");
  const { email, displayName } = account;
  const counts = await countPassesAndCheckouts(ctx.db, { userId, isPass: isActivePass(ctx) });
  return { email, displayName, ...counts };
}
