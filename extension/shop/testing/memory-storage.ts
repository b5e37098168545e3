import type { StorageArea } from "../device-store.ts";

/** Stores values like `browser.storage.local`, in memory. */
export function createMemoryStorage(): StorageArea {
  const values = new Map<string, unknown>();
  return {
    get: async (key) => (values.has(key) ? { [key]: values.get(key) } : {}),
    set: async (added) => {
      for (const [key, value] of Object.entries(added)) values.set(key, value);
    },
    remove: async (key) => void values.delete(key),
  };
}
