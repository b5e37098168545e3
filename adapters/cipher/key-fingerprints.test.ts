import { randomBytes } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "#db/database.ts";
import { settings } from "#db/tables/operations.ts";
import { inTransaction } from "#db/transaction.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { KeyError } from "./cipher.ts";
import type { Keys } from "./key-file.ts";
import { checkKeyFingerprints, forgetVaultKeys, keyFingerprints } from "./key-fingerprints.ts";

const database = await freshDatabase();
const { db, close } = openDatabase(database.url, {
  onBrokenConnection: (error) => {
    throw error;
  },
});
afterAll(async () => {
  await close();
  await database.drop();
});

const k1 = { id: "k1", key: randomBytes(32) };
const k2 = { id: "k2", key: randomBytes(32) };
const first: Keys = { authSecret: "s".repeat(40), keys: [k1], lookupKey: k1.key };
const rotated: Keys = { ...first, keys: [k2, k1] };
const start = (keys: Keys) => checkKeyFingerprints(db, keyFingerprints(keys));

beforeEach(async () => {
  await db.execute("truncate settings");
  await start(first);
});

test("a start with the same keys succeeds, and no key is stored", async () => {
  await start(first);
  const stored = JSON.stringify(await db.select().from(settings));
  for (const secret of [first.authSecret, k1.key.toString("base64"), k1.key.toString("hex")]) {
    expect(stored).not.toContain(secret);
  }
});

test("processes that start at once on an empty database accept the same keys", async () => {
  await db.execute("truncate settings");
  const other = { ...first, authSecret: "t".repeat(40) };
  const starts = await Promise.allSettled([first, other, first, other].map(start));
  expect(starts.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
});

test("an added key is stored and required from then on", async () => {
  await start(rotated);
  await start(rotated);
  await expect(start(first)).rejects.toThrow('The vault key "k2" is missing');
});

test("a removed key is not required again, also when a process that still has it checks later", async () => {
  await start(rotated);
  await inTransaction(db, (tx) => forgetVaultKeys(tx, ["k1"]));
  await start(rotated);
  await start({ ...first, keys: [k2] });
});

test.each<[string, Keys, string]>([
  ["another secret", { ...first, authSecret: "t".repeat(40) }, "The authentication secret differs"],
  ["another key of the same name", { ...first, keys: [{ ...k2, id: "k1" }] }, 'The vault key "k1" differs'],
  ["only a new key", { ...first, keys: [k2] }, 'The vault key "k1" is missing'],
  ["another lookup key", { ...rotated, lookupKey: k2.key }, "The lookup key differs"],
])("a start with %s is refused with one sentence", async (_what, keys, sentence) => {
  const failure = await start(keys).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(KeyError);
  expect(String(failure)).toContain(sentence);
});
