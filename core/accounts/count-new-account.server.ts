import type { AuthorisedContext } from "../authorise.ts";

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
  { ports: { rateLimiter } }: AuthorisedContext,
  ipAddress: string,
  make: () => Promise<Result>,
): Promise<Result> {
  await rateLimiter.consume("sign-up-address", ipAddress);
  let isMade = false;
  try {
    const result = await make();
    isMade = result.isNew;
    return result;
  } finally {
    if (!isMade) await rateLimiter.undoConsume("sign-up-address", ipAddress);
  }
}
