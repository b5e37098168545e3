import { randomBytes, randomUUID } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { KeyError, parseVaultKeys, type Vault } from "./vault-keys.ts";

const FOLDER = "keys";
const AUTH_FILE = "auth-secret";
const VAULT_FILE = "vault-keys";

export interface KeySource {
  /** AUTH_SECRET, when set. */
  authSecret: string | undefined;
  /** Entries of VAULT_KEYS, newest first; empty when unset. */
  vaultKeys: readonly string[];
  /** Where made keys are kept. */
  dataDir: string;
  /** False for a shop that several machines may serve: keys made on one disk would be unknown to the others. */
  mayGenerate: boolean;
}

export interface Keys extends Vault {
  authSecret: string;
}

/**
 * The keys that were given; for those that were not, the ones kept in `<dataDir>/keys`, made on first use (mode 0600).
 * Processes that start at the same time end with the same keys.
 *
 * @throws KeyError
 */
export async function loadOrCreateKeys(source: KeySource): Promise<Keys> {
  const authSecret = source.authSecret ?? (await fromFile(source, AUTH_FILE, "AUTH_SECRET", newAuthSecret));
  if (authSecret.length < 32)
    throw new KeyError("The authentication secret must be at least 32 characters long.");
  if (source.vaultKeys.length > 0) return { authSecret, ...parseVaultKeys(source.vaultKeys, "VAULT_KEYS") };
  const text = await fromFile(source, VAULT_FILE, "VAULT_KEYS", newVaultKey);
  return { authSecret, ...parseVaultKeys(text.split(","), join(source.dataDir, FOLDER, VAULT_FILE)) };
}

const newAuthSecret = () => randomBytes(48).toString("base64url");
const newVaultKey = () => `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64")}`;

async function fromFile(
  { dataDir, mayGenerate }: KeySource,
  file: string,
  variable: string,
  make: () => string,
): Promise<string> {
  if (!mayGenerate) {
    throw new KeyError(`${variable} must be set when DATABASE_URL is set and ORIGIN is a public address.`);
  }
  const folder = join(dataDir, FOLDER);
  const path = join(folder, file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return (await readPrivately(path)) ?? (await createOnce(path, make()));
}

/** The file's text without outer spaces; undefined when there is no file. Takes others' rights away if it has any. */
async function readPrivately(path: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0 && process.platform !== "win32") await chmod(path, 0o600);
    const text = (await readFile(path, "utf8")).trim();
    if (text === "")
      throw new KeyError(`${path} is empty; put the key back, or remove the file for a new one.`);
    return text;
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/**
 * Writes the whole file aside and links it to its name: a link is made once, so that of several processes one wins and
 * the others read a complete file.
 */
async function createOnce(path: string, text: string): Promise<string> {
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = await open(aside, "wx", 0o600);
    try {
      await handle.writeFile(`${text}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(aside, path);
    return text;
  } catch (error) {
    const winner = isCode(error, "EEXIST") ? await readPrivately(path) : undefined;
    if (winner === undefined) throw error;
    return winner;
  } finally {
    await rm(aside, { force: true });
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
