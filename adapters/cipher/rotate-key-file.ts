import { randomUUID } from "node:crypto";
import { chown, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { newVaultKey, vaultKeyFile } from "./key-file.ts";
import { LOOKUP_ID } from "./vault-keys.ts";

/**
 * Puts a new key first. The key of the lookup hashes gets an entry of its own, because it stays when the old keys go.
 * The caller makes sure that no other process changes the file meanwhile.
 */
export async function addKeyToFile(dataDir: string): Promise<void> {
  const entries = await readEntries(dataDir);
  const hasLookup = entries.some((entry) => idOf(entry) === LOOKUP_ID);
  const oldest = entries.at(-1) ?? "";
  const lookup = hasLookup ? [] : [LOOKUP_ID + oldest.slice(idOf(oldest).length)];
  await replaceFile(vaultKeyFile(dataDir), [newVaultKey(), ...entries, ...lookup]);
}

/** Removes keys by their ids; the key of the lookup hashes stays. */
export async function removeKeysFromFile(dataDir: string, ids: readonly string[]): Promise<void> {
  const entries = await readEntries(dataDir);
  await replaceFile(
    vaultKeyFile(dataDir),
    entries.filter((entry) => !ids.includes(idOf(entry))),
  );
}

async function readEntries(dataDir: string): Promise<string[]> {
  const text = await readFile(vaultKeyFile(dataDir), "utf8");
  return text.split(",").map((entry) => entry.trim());
}

const idOf = (entry: string) => entry.slice(0, entry.indexOf(":"));

/** A running shop reads the file at any time, so it is replaced by a rename. It keeps its owner: the command may run as root. */
async function replaceFile(path: string, entries: readonly string[]): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const { uid, gid } = await stat(path);
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(`${entries.join(",")}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (process.getuid?.() === 0) await chown(draft, uid, gid);
    await rename(draft, path);
    await syncFolder(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
}

/** After this the rename survives a power cut. Values are sealed with the new key only afterwards. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
