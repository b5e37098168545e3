import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  openSync,
  rmSync,
  type WriteStream,
} from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough, Readable, Transform } from "node:stream";
import { json } from "node:stream/consumers";
import { finished, pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { Decrypter, Encrypter } from "age-encryption";
import { type Entry, fromFdPromise, type ZipFile as ReadableZip } from "yauzl";
import { ZipFile } from "yazl";
import { z } from "zod";

/**
 * A backup is a zip with one file a table (what Postgres writes with COPY, in its text format), `manifest.json`, and a
 * `README.txt` for a reader without the shop. With a passphrase the zip is encrypted as a whole in the format of age
 * (age-encryption.org), and has the keys of the shop.
 */
export class BackupError extends Error {
  override name = "BackupError";
}

const MANIFEST = "manifest.json";
const KEYS = "keys.json";
const AGE_HEADER = "age-encryption.org/";

export const tableSchema = z.object({
  name: z.string(),
  /** In the order of the values. `type` is what Postgres calls it. */
  columns: z.array(z.object({ name: z.string(), type: z.string() })).min(1),
  rows: z.int(),
  bytes: z.int(),
  /** SHA-256 (hex) of the text. */
  sha256: z.string(),
});
const manifestSchema = z.object({
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  /** The PostgreSQL version of the database that was backed up. */
  postgres: z.string(),
  /** Time of the last migration of the database, in milliseconds. */
  schemaVersion: z.int(),
  tables: z.array(tableSchema),
});
const keysSchema = z.object({ authSecret: z.string(), vaultKeys: z.string() });

export type BackupTable = z.infer<typeof tableSchema>;
export type Manifest = z.infer<typeof manifestSchema>;
/** The keys of the shop, each as the variable with its name has it. */
export type BackupKeys = z.infer<typeof keysSchema>;

export const nameOfTableFile = (table: string) => `tables/${table}.copy`;

/** Adds a file and resolves when its content has ended. */
export type AddFile = (name: string, content: Readable) => Promise<void>;

/**
 * Writes a backup to a new file, which only its owner can read. There is no file under this path before it is complete.
 *
 * @param options.encryption null: not encrypted, and without the keys
 * @param options.writeTables adds the files of the tables
 * @returns bytes of the file and their SHA-256 (hex)
 * @throws BackupError, and what `writeTables` throws
 */
export async function writeBackupFile(options: {
  path: string;
  encryption: { passphrase: string; keys: BackupKeys } | null;
  signal: AbortSignal;
  writeTables: (addFile: AddFile) => Promise<Manifest>;
}): Promise<{ manifest: Manifest; bytes: number; sha256: string }> {
  const { path, encryption } = options;
  const draft = `${path}.${process.pid}.part`;
  await prepareFolder(dirname(path));
  if (existsSync(path)) throw new BackupError(`${path} already exists and was not changed.`);
  await rm(draft, { force: true });
  const zip = new ZipFile();
  const zipped = new PassThrough();
  zip.outputStream.pipe(zipped);
  zip.on("error", (error: Error) => zipped.destroy(error));
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const counted = countBytes();
  const content = await encrypt(zipped, encryption?.passphrase);
  const file = createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true });
  const writing = pipeline(content, counted.stream, file, { signal });
  writing.catch((error: unknown) => failed.abort(error));
  const addFile: AddFile = async (name, content) => {
    zip.addReadStream(content, name);
    await finished(content, { signal, writable: false });
  };
  try {
    const manifest = await options.writeTables(addFile);
    zip.addBuffer(Buffer.from(README), "README.txt");
    if (encryption !== null) zip.addBuffer(Buffer.from(JSON.stringify(encryption.keys)), KEYS);
    zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), MANIFEST);
    zip.end();
    await writing;
    await rename(draft, path);
    return { manifest, ...counted.result() };
  } catch (error) {
    // When the disk refuses, what the tables report is only that they were interrupted.
    const cause: unknown = failed.signal.aborted ? failed.signal.reason : error;
    failed.abort(error);
    await writing.catch(() => undefined);
    await rm(draft, { force: true });
    throw isSystemError(cause) ? cannotWrite(dirname(path), cause) : cause;
  }
}

/** @throws BackupError when it cannot be made */
async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw cannotWrite(folder, error);
  });
}

const FULL: readonly unknown[] = ["ENOSPC", "EDQUOT"];

/** @param error of the operating system */
function cannotWrite(folder: string, error: unknown): BackupError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const reason = FULL.includes(code)
    ? `The disk that holds ${folder} is full: free some space, or choose another one.`
    : `Nothing can be written to ${folder} (${String(code)}): choose a folder that this user may write to.`;
  return new BackupError(`${reason} Nothing was written.`, { cause: error });
}

async function encrypt(content: Readable, passphrase: string | undefined): Promise<Readable> {
  if (passphrase === undefined) return content;
  const encrypter = new Encrypter();
  // 64 MB of memory instead of 256, because servers are small.
  encrypter.setScryptWorkFactor(16);
  encrypter.setPassphrase(passphrase);
  return fromWeb(await encrypter.encrypt(toWeb(content)));
}

/** A backup that is being read. The directory of a zip is at its end, so a file that is cut off cannot be opened. */
export interface BackupFile {
  manifest: Manifest;
  /** null: the backup is not encrypted. */
  keys: BackupKeys | null;
  openFile(name: string): Promise<Readable>;
  close(): Promise<void>;
}

/**
 * Opens a backup. An encrypted one is decrypted into a file without a name, below `folder`.
 *
 * @throws BackupError when it is not a backup, is cut off, has another format, or the passphrase is wrong
 */
export async function openBackupFile(
  path: string,
  { passphrase, folder }: { passphrase: string | undefined; folder: string },
): Promise<BackupFile> {
  const isEncrypted = (await firstBytes(path, AGE_HEADER.length)) === AGE_HEADER;
  const zip = await openZip(
    path,
    isEncrypted ? await decrypt(path, passphrase, folder) : openSync(path, "r"),
  );
  try {
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    const openFile = async (name: string) => {
      const entry = entries.get(name);
      if (entry === undefined) throw new BackupError(`The backup ${path} does not contain the file ${name}.`);
      return zip.openReadStreamPromise(entry);
    };
    const manifest = manifestSchema.safeParse(await json(await openFile(MANIFEST)));
    if (!manifest.success)
      throw new BackupError(`The backup ${path} has a format that this version of the shop does not know.`);
    const keys = isEncrypted ? keysSchema.parse(await json(await openFile(KEYS))) : null;
    return { manifest: manifest.data, keys, openFile, close: async () => zip.close() };
  } catch (error) {
    zip.close();
    throw error instanceof BackupError ? error : notReadable(path, error);
  }
}

async function openZip(path: string, descriptor: number): Promise<ReadableZip> {
  try {
    return await fromFdPromise(descriptor, { autoClose: false });
  } catch (error) {
    closeSync(descriptor);
    throw notReadable(path, error);
  }
}

const notReadable = (path: string, cause: unknown) =>
  new BackupError(`${path} is not a backup, or it is damaged: its end may be missing.`, { cause });

/** Decrypts into a file without a name, so that a process that is killed leaves nothing readable. */
async function decrypt(path: string, passphrase: string | undefined, folder: string): Promise<number> {
  if (passphrase === undefined)
    throw new BackupError(`${path} is encrypted: set BACKUP_PASSPHRASE to the passphrase of that backup.`);
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  await prepareFolder(folder);
  const { reading, target } = openNameless(folder);
  try {
    const plain = await decrypter.decrypt(toWeb(createReadStream(path))).catch((error: unknown) => {
      throw new BackupError(
        `${path} cannot be decrypted: BACKUP_PASSPHRASE is not that of this backup, or the file is damaged.`,
        { cause: error },
      );
    });
    await pipeline(fromWeb(plain), target).catch((error: unknown) => {
      throw isSystemError(error) ? cannotWrite(folder, error) : notReadable(path, error);
    });
    return reading;
  } catch (error) {
    target.destroy();
    closeSync(reading);
    throw error;
  }
}

/** The system deletes the file when it is closed, also by a kill. */
function openNameless(folder: string): { reading: number; target: WriteStream } {
  const path = join(folder, `${randomUUID()}.tmp`);
  try {
    const target = createWriteStream("", { fd: openSync(path, "wx", 0o600) });
    const reading = openSync(path, "r");
    rmSync(path);
    return { reading, target };
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}

// The types of the two kinds of web streams differ in Node and in the DOM; at run time they are one.
const toWeb = (stream: Readable) => Readable.toWeb(stream) as ReadableStream<Uint8Array>;
const fromWeb = (stream: ReadableStream<Uint8Array>) =>
  Readable.fromWeb(stream as NodeReadableStream<Uint8Array>);

/** Whether the disk caused the error, such as ENOSPC, and not the content. */
const isSystemError = (error: unknown) => error instanceof Error && "syscall" in error;

async function firstBytes(path: string, length: number): Promise<string> {
  let found = "";
  for await (const chunk of createReadStream(path, { end: length - 1, encoding: "latin1" })) found += chunk;
  return found;
}

/** Counts what passes, and hashes it. */
export function countBytes(): { stream: Transform; result(): { bytes: number; sha256: string } } {
  const hash = createHash("sha256");
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ bytes, sha256: hash.digest("hex") }) };
}

const README = `This is a backup of a Daypass shop.

tables/ has one file for each table of its PostgreSQL database, in the text format of COPY. manifest.json names the
columns of each table, its number of rows and the SHA-256 of its file. keys.json, if there is one, has the keys that
open the encrypted codes and passwords (AUTH_SECRET and VAULT_KEYS).

To restore it, run in the folder of a new, empty shop: npm run restore -- FILE
`;
