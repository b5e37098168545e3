/**
 * Runs `work` for each item, at most `concurrency` at a time, so that slow external calls do not take all connections of
 * the shop. The first item runs alone, so that an unavailable service is called once and not `concurrency` times.
 *
 * @param work returns false to stop: running calls finish, no new one starts
 * @param onError called for an item whose work throws; the other items continue
 */
export async function forEachWithConcurrency<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<boolean>,
  onError: (error: unknown, item: Item) => void,
): Promise<void> {
  const attempt = async (item: Item) => {
    try {
      return await work(item);
    } catch (error) {
      onError(error, item);
      return true;
    }
  };
  const [first, ...others] = items;
  if (first === undefined || !(await attempt(first))) return;
  const remaining = others.values();
  let stopped = false;
  const runWorker = async () => {
    for (const item of remaining) {
      if (stopped) return;
      if (!(await attempt(item))) stopped = true;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runWorker));
}
