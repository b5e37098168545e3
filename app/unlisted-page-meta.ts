import type { RootData } from "./root-data.server.ts";

/**
 * The title of a page that search engines leave out: what it shows, then the name of the shop.
 *
 * @param root what the root loader has read; undefined when it failed
 */
export function unlistedPageMeta(root: Pick<RootData, "store"> | undefined, screen: string) {
  return [{ title: `${screen} · ${root?.store.name ?? "Daypass"}` }, { name: "robots", content: "noindex" }];
}
