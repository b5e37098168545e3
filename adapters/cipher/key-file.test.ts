import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeyError } from "./cipher.ts";
import { type KeySource, loadOrCreateKeys } from "./key-file.ts";

const entry = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;

let dataDir: string;
const from = (given: Partial<KeySource> = {}): KeySource => ({
  authSecret: undefined,
  vaultKeys: [],
  dataDir,
  mayGenerate: true,
  ...given,
});

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "daypass-keys-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

test("generated keys are stored readable by their owner only, and found again", async () => {
  const first = await loadOrCreateKeys(from());
  expect(first.authSecret.length).toBeGreaterThanOrEqual(64);
  expect(first.keys).toHaveLength(1);
  expect(await loadOrCreateKeys(from())).toEqual(first);

  const folder = join(dataDir, "keys");
  expect((await readdir(folder)).toSorted()).toEqual(["auth-secret", "vault-keys"]);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const file of ["auth-secret", "vault-keys"]) {
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  }
});

test("a folder in the place of a key is named, and a secret that was cut is named with its file", async () => {
  await mkdir(join(dataDir, "keys", "vault-keys"), { recursive: true });
  await expect(loadOrCreateKeys(from())).rejects.toThrow(/keys\/vault-keys is no file; put the key back\.$/);
  await writeFile(join(dataDir, "keys", "auth-secret"), "cut");
  await expect(loadOrCreateKeys(from())).rejects.toThrow(
    /keys\/auth-secret\) must be at least 32 characters/,
  );
});

test("rights of other users on a key file are removed", async () => {
  await loadOrCreateKeys(from());
  const path = join(dataDir, "keys", "vault-keys");
  await chmod(path, 0o644);
  await loadOrCreateKeys(from());
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("calls at the same time get the same generated keys", async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateKeys(from())));
  expect(new Set(all.map(({ authSecret }) => authSecret)).size).toBe(1);
  expect(new Set(all.map(({ keys }) => keys[0]?.key.toString("hex"))).size).toBe(1);
  expect(await readdir(join(dataDir, "keys"))).toHaveLength(2);
});

test("processes that start at the same time get the same generated keys", async () => {
  const module = JSON.stringify(new URL("./key-file.ts", import.meta.url).href);
  const source = JSON.stringify(from());
  const script = `const { loadOrCreateKeys } = await import(${module});
    console.log((await loadOrCreateKeys({ ...${source}, authSecret: undefined })).authSecret);`;
  const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  const [one, other] = await Promise.all([run(), run()]);
  expect(one.stdout.trim().length).toBeGreaterThanOrEqual(64);
  expect(one.stdout).toBe(other.stdout);
});

test("given keys take precedence over stored ones and write nothing to the disk", async () => {
  const authSecret = "given ".repeat(8);
  const keys = await loadOrCreateKeys(from({ authSecret, vaultKeys: [entry("k2"), entry("k1")] }));
  expect(keys.authSecret).toBe(authSecret);
  expect(keys.keys.map(({ id }) => id)).toEqual(["k2", "k1"]);
  expect(await readdir(dataDir)).toEqual([]);
});

test("the lookup key is the oldest key, or the one that is listed as lookup", async () => {
  const [k2, k1] = [entry("k2"), entry("k1")];
  const keys = await loadOrCreateKeys(from({ vaultKeys: [k2, k1] }));
  expect(keys.lookupKey).toEqual(keys.keys[1]?.key);
  const kept = await loadOrCreateKeys(from({ vaultKeys: [k2, k1.replace("k1:", "lookup:")] }));
  expect(kept.keys.map(({ id }) => id)).toEqual(["k2"]);
  expect(kept.lookupKey).toEqual(keys.lookupKey);
});

test("no keys are generated for a shop on several machines", async () => {
  const refused = loadOrCreateKeys(from({ mayGenerate: false }));
  await expect(refused).rejects.toThrow(KeyError);
  await expect(refused).rejects.toThrow(
    "AUTH_SECRET must be set when DATABASE_URL is set and ORIGIN is a public address.",
  );
  await expect(loadOrCreateKeys(from({ mayGenerate: false, authSecret: "x".repeat(32) }))).rejects.toThrow(
    "VAULT_KEYS must be set",
  );
  expect(await readdir(dataDir)).toEqual([]);
});

test.each([
  ["k1", "Entry 1 of VAULT_KEYS must be a name"],
  ["k1:dG9vIHNob3J0", "Entry 1 of VAULT_KEYS must be a name"],
  [`lookup:${randomBytes(32).toString("base64")}`, "VAULT_KEYS must hold at least one key"],
])("a malformed key is refused with a message that does not repeat it", async (bad, sentence) => {
  const failure = await loadOrCreateKeys(from({ vaultKeys: [bad] })).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(KeyError);
  expect(String(failure)).toContain(sentence);
  if (bad.includes(":")) expect(String(failure)).not.toContain(bad.split(":")[1]);
});

test("an empty key file is refused and not replaced", async () => {
  await loadOrCreateKeys(from());
  const path = join(dataDir, "keys", "vault-keys");
  await writeFile(path, "");
  await expect(loadOrCreateKeys(from())).rejects.toThrow("vault-keys is empty");
  expect(await readFile(path, "utf8")).toBe("");
});

test("a missing key file is not replaced when the database is in use, and nothing is written", async () => {
  const isUsed = async () => true;
  await expect(loadOrCreateKeys(from({ isUsed }))).rejects.toThrow(
    /auth-secret is missing.*npm run keys:give-up/s,
  );
  expect(await readdir(dataDir)).toEqual([]);
  await loadOrCreateKeys(from());
  await rm(join(dataDir, "keys", "vault-keys"));
  await expect(loadOrCreateKeys(from({ isUsed }))).rejects.toThrow(/vault-keys is missing/);
  expect(await readdir(join(dataDir, "keys"))).toEqual(["auth-secret"]);
});

test("a database that no shop has used yet gets new keys", async () => {
  const keys = await loadOrCreateKeys(from({ isUsed: async () => false }));
  expect(await loadOrCreateKeys(from({ isUsed: async () => true }))).toEqual(keys);
});
