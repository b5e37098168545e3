import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { readEnv } from "#server/env.ts";
import { S3_KEYS, startFakeS3 } from "#tests/fake-s3/fake-s3.ts";
import { freePort } from "#tests/free-port.ts";
import { copyToS3, type S3Store } from "./copy-to-s3.ts";

const MEBIBYTE = 1024 * 1024;
const NAME = "daypass-2026-11-24T22-00-00Z.zip.age";
const s3 = await startFakeS3();
const folder = mkdtempSync(join(tmpdir(), "copy-to-s3-"));
const path = join(folder, NAME);
const never = new AbortController().signal;
afterAll(async () => {
  await s3.stop();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  s3.objects.clear();
  s3.requests.length = 0;
  s3.faults.length = 0;
});

function storeAt(BACKUP_S3_URL: string): S3Store {
  const store = readEnv({ BACKUP_S3_URL }).backupS3;
  if (store === undefined) throw new Error("there is no store");
  return store;
}

function makeFile(bytes: number): Buffer {
  const content = randomBytes(bytes);
  writeFileSync(path, content);
  return content;
}

/** What the owner is told about a copy that fails. It has no key. */
async function refusalOf(store: S3Store): Promise<string> {
  const error = await copyToS3(path, store, { signal: never }).catch((reason: unknown) => reason);
  if (!(error instanceof Error)) throw new Error("the copy did not fail");
  expect(error.name).toBe("BackupError");
  for (const key of Object.values(S3_KEYS)) expect(error.message).not.toContain(key);
  return error.message;
}

test("a small file is copied in one signed request, into the folder of the bucket", async () => {
  const content = makeFile(100_000);
  const place = await copyToS3(path, storeAt(s3.url("/backups/shop one")), { signal: never });
  expect(place).toBe(`${s3.host}/backups/shop%20one/${NAME}`);
  expect(s3.objects.get(`/backups/shop%20one/${NAME}`)?.equals(content)).toBe(true);
  expect(s3.requests).toEqual([`PUT /backups/shop%20one/${NAME}`, `HEAD /backups/shop%20one/${NAME}`]);
});

test("a large file is copied in parts, and a part that fails is sent again", async () => {
  const content = makeFile(12 * MEBIBYTE + 1);
  s3.faults.push({ on: "partNumber=2", status: 503, code: "SlowDown", times: 1 });
  await copyToS3(path, storeAt(s3.url("/backups")), { signal: never, partBytes: 5 * MEBIBYTE });
  expect(s3.objects.get(`/backups/${NAME}`)?.equals(content)).toBe(true);
  expect(s3.requests.filter((line) => line.includes("partNumber="))).toHaveLength(4);
  expect(s3.uploads.size).toBe(0);
});

test("a store that refuses, has other keys, or does not answer is named in a sentence without the keys", async () => {
  makeFile(1_000);
  s3.faults.push({ on: "PUT", status: 403, code: "AccessDenied", times: 1 });
  const place = `${s3.host}/backups`;
  expect(await refusalOf(storeAt(s3.url("/backups")))).toBe(
    `The copy to ${place} failed: S3 returned 403 – AccessDenied.`,
  );
  expect(await refusalOf({ ...storeAt(s3.url("/backups")), secretAccessKey: "another" })).toContain(
    "403 – SignatureDoesNotMatch",
  );
  const nobody = `http://key:secret@127.0.0.1:${await freePort()}/backups`;
  expect(await refusalOf(storeAt(nobody))).toContain("failed: S3 network error: ECONNREFUSED.");
  expect(s3.objects.size).toBe(0);
});

test("a copy that was cut off counts as failed", async () => {
  makeFile(1_000);
  const copying = copyToS3(path, storeAt(s3.url("/backups")), { signal: AbortSignal.abort() });
  await expect(copying).rejects.toThrow("The copy to");
  s3.objects.set(`/other/${NAME}`, Buffer.from("short"));
  s3.faults.push({ on: "PUT /other", status: 200, code: "", times: 1 });
  expect(await refusalOf(storeAt(s3.url("/other")))).toContain("the copy has 5 bytes and not 1000");
});

test.each([
  "s3://key:secret@host/bucket",
  "https://host/bucket",
  "https://key@host/bucket",
  "https://key:%zz@host/bucket",
  "bucket",
])("the address %s is refused, and not repeated", (BACKUP_S3_URL) => {
  expect(() => readEnv({ BACKUP_S3_URL })).toThrow(/^BACKUP_S3_URL must be an address such as/);
});
