import type { CatalogueChange } from "./catalogue-plan.ts";

/** The entries in an audit event. A file may have thousands, and every list of events reads the whole row. */
const MAX_BYTES = 16 * 1024;
/** A longer entry, such as one with a new description, is listed with the names of its fields only. */
const MAX_BYTES_OF_ENTRY = 1024;

export interface UploadSummary {
  addedCount: number;
  changedCount: number;
  added: Pick<CatalogueChange, "section" | "key">[];
  changed: { section: string; key: string; fields: Partial<CatalogueChange["fields"][number]>[] }[];
  /** How many added and changed entries are only counted. */
  notListed: number;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** What an upload changed, as details of its audit event: all counts, and the first entries. */
export function summariseUpload(changes: readonly CatalogueChange[]): UploadSummary {
  let left = MAX_BYTES;
  const takeWhileShort = <Entry>(entries: readonly Entry[]): Entry[] => {
    const end = entries.findIndex((entry) => {
      left -= bytesOf(entry);
      return left < 0;
    });
    return end === -1 ? [...entries] : entries.slice(0, end);
  };
  const addedEntries = changes
    .filter(({ kind }) => kind === "added")
    .map(({ section, key }) => ({ section, key }));
  const changedEntries = changes.filter(({ kind }) => kind === "changed").map(shortenEntry);
  const changed = takeWhileShort(changedEntries);
  const added = takeWhileShort(addedEntries);
  return {
    addedCount: addedEntries.length,
    changedCount: changedEntries.length,
    added,
    changed,
    notListed: addedEntries.length + changedEntries.length - added.length - changed.length,
  };
}

function shortenEntry({ section, key, fields }: CatalogueChange): UploadSummary["changed"][number] {
  const entry = { section, key, fields };
  if (bytesOf(entry) <= MAX_BYTES_OF_ENTRY) return entry;
  return { section, key, fields: fields.map(({ field }) => ({ field })) };
}
