/**
 * Works through a list, a few items side by side: waiting for an outside answer takes long, but all at once would keep
 * every connection of the shop from its visitors. The first item goes alone, so that an outside that is dead is asked
 * once and not a few times.
 *
 * @param work returns false to stop: what is under way ends, nothing more begins
 * @param onError told of an item that failed; the others go on, so that one bad row never stands in their way
 */
export async function forEachWithConcurrency<Item>(
  items: readonly Item[],
  few: number,
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
  const rest = others.values();
  let going = true;
  const lane = async () => {
    for (const item of rest) {
      if (!going) return;
      if (!(await attempt(item))) going = false;
    }
  };
  await Promise.all(Array.from({ length: few }, lane));
}
