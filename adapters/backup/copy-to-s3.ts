import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { S3Error, S3mini } from "s3mini";
import { MINUTE } from "#core/time.ts";
import { BackupError } from "./backup-file.ts";

export interface S3Store {
  /** With bucket and folder, without the keys. */
  endpoint: string;
  /** The same, for people. */
  place: string;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

const MEBIBYTE = 1024 * 1024;
/** A file of at most this size is sent in one request, a longer one in parts of this size. */
const PART_BYTES = 8 * MEBIBYTE;
/** Below the 10,000 that a store accepts. */
const MAX_PARTS = 9_000;
const REQUEST_TIMEOUT_MS = 10 * MINUTE;

/**
 * Copies a file to an S3 store, under its own name. The file is read in parts, which are sent again when a request fails.
 *
 * @returns where the copy is, for people
 * @throws BackupError with a sentence that has no key
 */
export async function copyToS3(
  path: string,
  store: S3Store,
  { signal, partBytes = PART_BYTES }: { signal: AbortSignal; partBytes?: number },
): Promise<string> {
  const key = basename(path);
  try {
    const file = await openAsBlob(path);
    const client = new S3mini({
      ...store,
      minPartSize: Math.max(partBytes, Math.ceil(file.size / MAX_PARTS)),
      fetch: (input, init) =>
        fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]) }),
    });
    await client.putAnyObject(key, file, "application/octet-stream");
    const stored = await client.getContentLength(key);
    if (stored !== file.size) throw new S3Error(`the copy has ${stored} bytes and not ${file.size}`);
    return `${store.place}/${key}`;
  } catch (error) {
    throw new BackupError(`The copy to ${store.place} failed: ${reasonOf(error)}.`, { cause: error });
  }
}

/** In a few words. A message of the client names no key. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error && "code" in error.cause ? String(error.cause.code) : null;
  return cause ?? error.message;
}
