const FIRST_SECONDS = [1, 2, 3, 5];
const THEN_SECONDS = 8;
const AT_MOST_SECONDS = 120;

/**
 * How long to wait before asking again whether a payment arrived, in milliseconds.
 *
 * @param tries how often the shop was asked already
 * @returns null after about two minutes: then it is time to stop asking
 */
export function pollDelay(tries: number): number | null {
  const waited = Array.from({ length: tries }, (_, index) => FIRST_SECONDS[index] ?? THEN_SECONDS);
  const total = waited.reduce((sum, seconds) => sum + seconds, 0);
  if (total >= AT_MOST_SECONDS) return null;
  return (FIRST_SECONDS[tries] ?? THEN_SECONDS) * 1000;
}
