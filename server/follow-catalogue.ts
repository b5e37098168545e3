import type { CatalogueVersion } from "#core/catalog/catalogue-version.ts";
import type { LiveUpdates } from "#core/live/live-updates.ts";
import type { Topic } from "#core/live/topics.ts";

/** What the public pages show. */
const TOPICS: ReadonlySet<Topic> = new Set(["tools", "stock", "settings"]);

/** @param changes.onAnnounce calls with the topics of each change that this process makes, before other processes hear of it */
export function followCatalogue(
  changes: LiveUpdates & { onAnnounce(listener: (topics: readonly Topic[]) => void): void },
): CatalogueVersion {
  let version = 0;
  changes.onAnnounce((topics) => {
    if (topics.some((topic) => TOPICS.has(topic))) version++;
  });
  changes.subscribe((event) => {
    if (event.kind !== "changed" || TOPICS.has(event.topic)) version++;
  });
  return () => (changes.isListening() ? version : null);
}
