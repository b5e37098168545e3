/** Whether version `installed` is older than `served`. Both are numbers joined by dots; missing numbers are 0. */
export function isOlderVersion(installed: string, served: string): boolean {
  const [own, other] = [installed, served].map((version) => version.split(".").map(Number));
  for (let at = 0; at < Math.max(own?.length ?? 0, other?.length ?? 0); at++) {
    const difference = (own?.[at] ?? 0) - (other?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
