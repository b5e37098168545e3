const KEY = "giveaway-claim";
/** After this time a sign-in no longer belongs to the claim. */
const MAXIMUM_AGE_MS = 10 * 60_000;

/** Stores which giveaway a visitor wants to claim, until they have signed in. */
export function rememberClaim(roundId: string): void {
  try {
    sessionStorage.setItem(KEY, `${Date.now()} ${roundId}`);
  } catch {
    // Without storage the visitor has to press Claim again.
  }
}

export function forgetClaim(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Without storage nothing was stored.
  }
}

/** The round of the pending claim; null without a recent one. */
export function readPendingClaim(): string | null {
  try {
    const [at, roundId] = sessionStorage.getItem(KEY)?.split(" ") ?? [];
    return roundId !== undefined && Date.now() - Number(at) < MAXIMUM_AGE_MS ? roundId : null;
  } catch {
    return null;
  }
}
