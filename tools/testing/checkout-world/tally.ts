/** How often something came about, by its name. */
export type Tally = Map<string, number>;

export function count(tally: Tally, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}
