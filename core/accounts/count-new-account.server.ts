import type { Context } from "../context.ts";
import { isDomainError } from "../errors.ts";

/**
 * Makes an account within the limit of new accounts of a network. What made none does not count, so that the mistakes of many
 * people behind one address refuse nobody. The count is taken before an account is made and given back when
 * none was made, so parallel requests make no more than the limit. Not within a transaction, because
 * the limiter needs a connection of its own.
 *
 * @param make an `isNew` of false: another request has made the account meanwhile
 * @throws DomainError 'sign-up-rate-limited'
 */
export async function countNewAccount<Result extends { isNew: boolean }>(
  { ports: { rateLimiter } }: Context,
  ipAddress: string,
  make: () => Promise<Result>,
): Promise<Result> {
  const giveBack = () => rateLimiter.undoConsume("sign-up-address", ipAddress);
  try {
    await rateLimiter.consume("sign-up-address", ipAddress);
  } catch (error) {
    // The limiter counts a refused attempt too. Without a database it has counted nothing.
    if (isDomainError(error, "sign-up-rate-limited")) await giveBack();
    throw error;
  }
  let isMade = false;
  try {
    const result = await make();
    isMade = result.isNew;
    return result;
  } finally {
    if (!isMade) await giveBack();
  }
}
