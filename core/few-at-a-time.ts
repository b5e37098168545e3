/**
 * Works through a list, a few items side by side: waiting for an outside answer takes long, but all at once would keep
 * every connection of the shop from its visitors. The first item goes alone, so that an outside that is dead is asked
 * once and not a few times.
 *
 * @param work returns false to stop: what is under way ends, nothing more begins
 */
export async function fewAtATime<Item>(
  items: readonly Item[],
  few: number,
  work: (item: Item) => Promise<boolean>,
): Promise<void> {
  const [first, ...others] = items;
  if (first === undefined || !(await work(first))) return;
  const rest = others.values();
  let going = true;
  const lane = async () => {
    for (const item of rest) {
      if (!going) return;
      if (!(await work(item))) going = false;
    }
  };
  await Promise.all(Array.from({ length: few }, lane));
}
