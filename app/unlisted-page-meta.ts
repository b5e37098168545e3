import type { SharedData } from "./shared-data.server.ts";

/**
 * The title of a page that search engines leave out: what it shows, then the name of the shop.
 *
 * @param shared what pages share; undefined when it could not be read
 */
export function unlistedPageMeta(shared: Pick<SharedData, "store"> | undefined, screen: string) {
  return [
    { title: `${screen} · ${shared?.store.name ?? "Daypass"}` },
    { name: "robots", content: "noindex" },
  ];
}
