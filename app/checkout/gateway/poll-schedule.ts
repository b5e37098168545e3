const FIRST_SECONDS = [1, 2, 3, 5];
const THEN_SECONDS = 8;
const AT_MOST_SECONDS = 120;

/**
 * The delay before the next poll of a checkout's status, in milliseconds.
 *
 * @param polls how many polls were made already
 * @returns null after about two minutes: the browser stops polling
 */
export function pollDelay(polls: number): number | null {
  const delays = Array.from({ length: polls }, (_, index) => FIRST_SECONDS[index] ?? THEN_SECONDS);
  const total = delays.reduce((sum, seconds) => sum + seconds, 0);
  if (total >= AT_MOST_SECONDS) return null;
  return (FIRST_SECONDS[polls] ?? THEN_SECONDS) * 1000;
}
