import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, chown, link, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { KeyError, LOOKUP_ID, parseVaultKeys, type VaultKeys } from "./cipher.ts";

const FOLDER = "keys";
const AUTH_FILE = "auth-secret";
const VAULT_FILE = "vault-keys";

export interface KeySource {
  /** AUTH_SECRET, when set. */
  authSecret: string | undefined;
  /** Entries of VAULT_KEYS, newest first; empty when unset. */
  vaultKeys: readonly string[];
  /** Where generated keys are stored. */
  dataDir: string;
  /** False for a shop on several machines: keys generated on one disk would be missing on the others. */
  mayGenerate: boolean;
  /** Whether a shop has used the database before. A missing file is then lost, and no new one is made. Absent: not checked. */
  isUsed?: () => Promise<boolean>;
}

export interface Keys extends VaultKeys {
  authSecret: string;
}

/**
 * Returns the given keys, and for missing ones those in `<dataDir>/keys`, which are generated at first use (mode 0600).
 * Processes that start at the same time get the same keys.
 *
 * @throws KeyError
 */
export async function loadOrCreateKeys(source: KeySource): Promise<Keys> {
  const authSecret =
    source.authSecret ?? (await loadOrCreateFile(source, AUTH_FILE, "AUTH_SECRET", newAuthSecret));
  if (authSecret.length < 32)
    throw new KeyError(
      `The authentication secret (AUTH_SECRET, or else ${join(source.dataDir, FOLDER, AUTH_FILE)}) must be at least 32 characters long; put the secret of the shop back.`,
    );
  if (source.vaultKeys.length > 0) return { authSecret, ...parseVaultKeys(source.vaultKeys, "VAULT_KEYS") };
  const text = await loadOrCreateFile(source, VAULT_FILE, "VAULT_KEYS", newVaultKey);
  return { authSecret, ...parseVaultKeys(text.split(","), vaultKeyFile(source.dataDir)) };
}

/** The keys as the variables AUTH_SECRET and VAULT_KEYS have them; undefined if the variable is missing. */
export interface KeyTexts {
  authSecret: string | undefined;
  vaultKeys: string | undefined;
}

/**
 * Reads the keys and makes none.
 *
 * @param options.mendsRights whether it removes the rights of other users to the files
 */
export async function readKeyTexts(
  source: { authSecret?: string | undefined; vaultKeys: readonly string[]; dataDir: string },
  { mendsRights = true } = {},
): Promise<KeyTexts> {
  const read = (file: string) => readPrivately(join(source.dataDir, FOLDER, file), mendsRights);
  return {
    authSecret: source.authSecret ?? (await read(AUTH_FILE)),
    vaultKeys: source.vaultKeys.length > 0 ? source.vaultKeys.join(",") : await read(VAULT_FILE),
  };
}

/** @throws KeyError when an entry of the vault keys is wrong */
export function parseKeyTexts({ authSecret, vaultKeys }: { authSecret: string; vaultKeys: string }): Keys {
  return { authSecret, ...parseVaultKeys(vaultKeys.split(","), "VAULT_KEYS") };
}

/** Writes the files that are missing in `<dataDir>/keys`. */
export async function writeKeyFiles(
  dataDir: string,
  { authSecret, vaultKeys }: { authSecret: string; vaultKeys: string },
): Promise<void> {
  const folder = join(dataDir, FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await createOnce(join(folder, AUTH_FILE), authSecret);
  await createOnce(join(folder, VAULT_FILE), vaultKeys);
}

export const keyFolder = (dataDir: string) => join(dataDir, FOLDER);
/** server/start/checks.ts has the same path. */
export const vaultKeyFile = (dataDir: string) => join(dataDir, FOLDER, VAULT_FILE);

/**
 * The vault keys of the file as they are now. Synchronous, because sealing is; the file is small and read rarely.
 *
 * @throws KeyError
 */
export function readVaultKeyFile(dataDir: string): VaultKeys {
  const path = vaultKeyFile(dataDir);
  return parseVaultKeys(readFileSync(path, "utf8").split(","), path);
}

const newAuthSecret = () => randomBytes(48).toString("base64url");
export const newVaultKey = () => `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64")}`;

async function loadOrCreateFile(
  { dataDir, mayGenerate, isUsed }: KeySource,
  file: string,
  variable: string,
  make: () => string,
): Promise<string> {
  if (!mayGenerate) {
    throw new KeyError(`${variable} must be set when DATABASE_URL is set and ORIGIN is a public address.`);
  }
  const folder = join(dataDir, FOLDER);
  const path = join(folder, file);
  const existing = await readPrivately(path);
  if (existing !== undefined) return existing;
  // Another process may have made the file, and used the database, after this one has looked for it.
  if (await isUsed?.()) return (await readPrivately(path)) ?? refuseNewKey(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return createOnce(path, make());
}

function refuseNewKey(path: string): never {
  throw new KeyError(
    `${path} is missing, and this database is used with the key in it. Restore the folder keys from your backup. Without a backup, npm run keys:give-up deletes what the lost key protects and keeps users and purchases.`,
  );
}

/** The text of a file without outer spaces; undefined when there is no file. `mendsRights`: removes the rights of other users. */
async function readPrivately(path: string, mendsRights = true): Promise<string | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new KeyError(`${path} is no file; put the key back.`);
    const { mode } = found;
    if (mendsRights && (mode & 0o077) !== 0 && process.platform !== "win32") await chmod(path, 0o600);
    const text = (await readFile(path, "utf8")).trim();
    if (text === "")
      throw new KeyError(`${path} is empty; put the key back, or remove the file for a new one.`);
    return text;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/**
 * Writes a temporary file and links it to its final name. Only one of several processes can create the link; the others
 * read the complete file.
 */
async function createOnce(path: string, text: string): Promise<string> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(`${text}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, path);
    return text;
  } catch (error) {
    const existing = hasCode(error, "EEXIST") ? await readPrivately(path) : undefined;
    if (existing === undefined) throw error;
    return existing;
  } finally {
    await rm(draft, { force: true });
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

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
