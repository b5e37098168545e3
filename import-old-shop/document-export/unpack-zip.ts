import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { type Entry, getFileNameLowLevel, openPromise, validateFileName, type ZipFile } from "yauzl";
import { DocumentExportError } from "../source.ts";

const MAX_ENTRIES = 1000;
const MAX_UNPACKED_BYTES = 4 * 1024 ** 3;
/** How much larger than the zip its content may be: text of documents is 5 to 50 times. */
const MAX_RATIO = 200;
/** A small zip of a few equal documents may have any ratio. */
const HARMLESS_BYTES = 10 * 1024 ** 2;

const FILE_TYPE = 0o170000;
const LINK = 0o120000;

/** A file of the zip; `file` is null if it was not wanted. */
export interface Unpacked {
  path: string;
  file: string | null;
}

/**
 * Unpacks the wanted files of a zip into a folder, under names of our own. Nothing that a zip says of itself is trusted:
 * sizes are counted while unpacking.
 *
 * @throws DocumentExportError when it is no zip, or a zip that is broken, encrypted, unsafe or too large
 */
export async function unpackZip(
  zip: string,
  folder: string,
  isWanted: (path: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<Unpacked[]> {
  const allowed = Math.min(MAX_UNPACKED_BYTES, Math.max(HARMLESS_BYTES, (await stat(zip)).size * MAX_RATIO));
  const archive = await openZip(zip);
  const unpacked: Unpacked[] = [];
  let left = allowed;
  let count = 0;
  try {
    for await (const entry of broken(archive.eachEntry())) {
      count++;
      if (count > MAX_ENTRIES) throw new DocumentExportError(`The zip has more than ${MAX_ENTRIES} files.`);
      const path = checkedPath(entry);
      if (path.endsWith("/")) continue;
      if (!isWanted(path)) {
        unpacked.push({ path, file: null });
        continue;
      }
      const file = join(folder, String(count));
      left -= await unpack(archive, entry, { path, file, left, signal });
      unpacked.push({ path, file });
    }
  } finally {
    archive.close();
  }
  return unpacked;
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    // The names are decoded and checked by checkedPath.
    return await openPromise(path, { autoClose: false, decodeStrings: false });
  } catch (error) {
    if (isSystemError(error)) throw error;
    throw new DocumentExportError("The file is not a zip, or its end is missing.", { cause: error });
  }
}

/** The entries of the zip's directory. What the library refuses is a broken zip. */
async function* broken(entries: AsyncIterable<Entry>): AsyncGenerator<Entry, void> {
  try {
    yield* entries;
  } catch (error) {
    if (isSystemError(error)) throw error;
    throw new DocumentExportError("The zip is broken: its directory cannot be read.", { cause: error });
  }
}

/** @throws DocumentExportError for a path that leads out of the folder, a link, or an encrypted file */
function checkedPath(entry: Entry): string {
  const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
  // Some programs of Windows write its separator.
  const path = name.replaceAll("\\", "/");
  const shown = JSON.stringify(path.slice(0, 100));
  if (validateFileName(path) !== null || path.includes("\0"))
    throw new DocumentExportError(`The zip has a file with an unsafe path: ${shown}.`);
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK)
    throw new DocumentExportError(`The zip has a link: ${shown}. Only files and folders are read.`);
  if (entry.isEncrypted())
    throw new DocumentExportError(`The zip is encrypted: ${shown}. Make one without a password.`);
  return path;
}

/** @returns how many bytes were written */
async function unpack(
  archive: ZipFile,
  entry: Entry,
  to: { path: string; file: string; left: number; signal: AbortSignal | undefined },
): Promise<number> {
  let size = 0;
  let checksum = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      checksum = crc32(chunk, checksum);
      if (size > to.left)
        done(new DocumentExportError("The zip holds far more than its size allows, or more than 4 GB."));
      else done(null, chunk);
    },
  });
  try {
    const content = await archive.openReadStreamPromise(entry);
    // After the entry is open: a target without a pipeline reports its errors to nobody.
    const target = createWriteStream(to.file, { flags: "wx", mode: 0o600 });
    await pipeline(content, count, target, { signal: to.signal });
  } catch (error) {
    if (error instanceof DocumentExportError || isSystemError(error) || to.signal?.aborted) throw error;
    throw brokenFile(to.path, error);
  }
  if (checksum !== entry.crc32) throw brokenFile(to.path);
  return size;
}

const brokenFile = (path: string, cause?: unknown) =>
  new DocumentExportError(`The zip is broken: ${JSON.stringify(path)} cannot be unpacked.`, { cause });

/** Whether an error is one of the disk, such as ENOSPC, not of the content. zlib's errors have a code too, and no system call. */
const isSystemError = (error: unknown) => error instanceof Error && "syscall" in error;
