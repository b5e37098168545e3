/** The path of the shop page of a tool. */
export function shopPath(slug: string): string {
  return `/shop/${encodeURIComponent(slug)}`;
}
