/** The path of the public page of a tool. */
export function shopPath(slug: string): string {
  return `/shop/${encodeURIComponent(slug)}`;
}
