/** Where a tool's servers and codes are. The humanizer keeps its own short address. */
export function toolPagePath(slug: string): string {
  return slug === "aihumanizer" ? "/aihumanizer" : `/tools/${slug}`;
}
