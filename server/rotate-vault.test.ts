import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createCipher } from "#adapters/cipher/cipher.ts";
import { type KeySource, loadOrCreateKeys, readVaultKeyFile } from "#adapters/cipher/key-file.ts";
import { checkKeyFingerprints, keyFingerprints } from "#adapters/cipher/key-fingerprints.ts";
import { createAccessCode, revealAccessCodeToAdmin } from "#core/access-codes/manage-access-codes.server.ts";
import type { Context } from "#core/context.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { freshDatabase } from "../tests/database/database.ts";
import { openTestShop } from "../tests/fixtures/open-test-shop.ts";
import { rotateKeys } from "./owner-commands.ts";
import { checkVaultKeyFile } from "./start/checks.ts";

const shop = openTestShop(await freshDatabase(), { clock: { now: () => new Date("2026-11-21T10:00:00Z") } });
let admin: Context;
let toolId: string;
let dataDir: string;
let source: KeySource;

beforeAll(async () => {
  admin = await shop.user("admin");
  toolId = (await shop.tool({ name: "Video Suite" })).id;
});
beforeEach(async () => {
  await shop.db.execute("truncate settings, access_codes cascade");
  await rm(dataDir ?? "", { recursive: true, force: true });
  dataDir = await mkdtemp(join(tmpdir(), "daypass-rotation-"));
  source = { authSecret: "s".repeat(40), vaultKeys: [], dataDir, mayGenerate: true };
});
afterAll(async () => {
  await shop.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** A process that starts with the present keys: it checks them, and its cipher follows the key file. */
async function startProcess(from = source) {
  const keys = await loadOrCreateKeys(from);
  await checkKeyFingerprints(shop.db, keyFingerprints(keys));
  const cipher = createCipher(keys, from.vaultKeys.length > 0 ? undefined : () => readVaultKeyFile(dataDir));
  const as = (ctx: Context): Context => ({ ...ctx, ports: { ...ctx.ports, cipher } });
  return { admin: as(admin), system: as(shop.system()), keys };
}

let count = 0;
const addCode = async (ctx: Context) => {
  const simpleCode = `CODE-${++count}`;
  const fields = { toolId, serverName: "Server 1", isActive: true };
  return { simpleCode, ...(await createAccessCode(ctx, { ...fields, simpleCode })) };
};
const keyIdsInUse = async () =>
  new Set((await shop.db.select().from(accessCodes)).map((row) => row.simpleCodeSealed.split(".")[1]));
const keyFile = () => join(dataDir, "keys", "vault-keys");

test("two runs replace the key of a running shop, which needs no restart", async () => {
  const running = await startProcess();
  const oldId = running.keys.keys[0]?.id ?? "";
  const before = await addCode(running.admin);

  const first = await rotateKeys((await startProcess()).system, source);
  expect(first).toMatchObject({ kind: "key-added", resealed: { accessCodes: 1, credentials: 0 } });
  expect(await revealAccessCodeToAdmin(running.admin, before)).toMatchObject({
    simpleCode: before.simpleCode,
  });
  const after = await addCode(running.admin);
  expect(await keyIdsInUse()).toEqual(new Set([readVaultKeyFile(dataDir).keys[0]?.id]));

  const second = await rotateKeys((await startProcess()).system, source);
  expect(second).toEqual({ kind: "keys-removed", keyIds: [oldId], fromFile: true });
  expect(readVaultKeyFile(dataDir).keys.map(({ id }) => id)).not.toContain(oldId);
  const restarted = await startProcess();
  for (const process of [running, restarted]) {
    for (const code of [before, after]) {
      expect(await revealAccessCodeToAdmin(process.admin, code)).toMatchObject({
        simpleCode: code.simpleCode,
      });
    }
  }
  expect(restarted.keys.lookupKey).toEqual(running.keys.lookupKey);
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  expect((await readdir(join(dataDir, "keys"))).toSorted()).toEqual(["vault-keys"]);
});

test("the check before a rotation finds the file of the generated keys", async () => {
  expect(() => checkVaultKeyFile(source)).toThrow("There are no keys in");
  await startProcess();
  checkVaultKeyFile(source);
});

test("a further rotation keeps the key of the lookup hashes, so codes are still found", async () => {
  const running = await startProcess();
  const { simpleCode } = await addCode(running.admin);
  for (let run = 0; run < 4; run++) await rotateKeys((await startProcess()).system, source);
  const ids = (await readFile(keyFile(), "utf8")).split(",").map((entry) => entry.split(":")[0]);
  expect(ids).toEqual([expect.stringMatching(/^k/), "lookup"]);
  const { admin: later, keys } = await startProcess();
  expect(keys.lookupKey).toEqual(running.keys.lookupKey);
  await expect(addSame(later, simpleCode)).rejects.toMatchObject({ code: "access-code-taken" });
});

const addSame = (ctx: Context, simpleCode: string) =>
  createAccessCode(ctx, { toolId, serverName: "Server 1", isActive: true, simpleCode });

test("a run that was killed after the new key was written is completed by the next one", async () => {
  const running = await startProcess();
  await addCode(running.admin);
  const started = await startProcess();
  const broken = {
    ...started.system.ports.cipher,
    seal: () => {
      throw new Error("killed");
    },
  };
  const ports = { ...started.system.ports, cipher: broken };
  await expect(rotateKeys({ ...started.system, ports }, source)).rejects.toThrow("killed");
  expect(readVaultKeyFile(dataDir).keys).toHaveLength(2);
  expect(await rotateKeys((await startProcess()).system, source)).toMatchObject({
    kind: "continued",
    resealed: { accessCodes: 1 },
  });
  expect(await rotateKeys((await startProcess()).system, source)).toMatchObject({ kind: "keys-removed" });
});

test("several rotations at once add one key", async () => {
  const running = await startProcess();
  const code = await addCode(running.admin);
  await Promise.all(Array.from({ length: 4 }, () => rotateKeys(running.system, source)));
  await rotateKeys(running.system, source);
  const { admin: later } = await startProcess();
  expect(await revealAccessCodeToAdmin(later, code)).toMatchObject({ simpleCode: code.simpleCode });
});

test("keys in the variable are never changed: one key changes nothing, a new one is used after a restart", async () => {
  const entry = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
  const [k1, k2] = [entry("k1"), entry("k2")];
  const one = { ...source, vaultKeys: [k1], mayGenerate: false };
  const two = { ...one, vaultKeys: [k2, k1] };
  const running = await startProcess(one);
  await addCode(running.admin);
  expect(await rotateKeys(running.system, one)).toEqual({ kind: "no-new-key" });
  await expect(rotateKeys(running.system, two)).rejects.toThrow('Restart the shop with the key "k2"');
  expect(await keyIdsInUse()).toEqual(new Set(["k1"]));

  const restarted = await startProcess(two);
  expect(await rotateKeys(restarted.system, two)).toMatchObject({ kind: "continued", newestKeyId: "k2" });
  expect(await keyIdsInUse()).toEqual(new Set(["k2"]));
  await expect(startProcess({ ...one, vaultKeys: [k2, k1.replace("k1:", "lookup:")] })).rejects.toThrow(
    'The vault key "k1" is missing',
  );
  expect(await rotateKeys(restarted.system, two)).toEqual({
    kind: "keys-removed",
    keyIds: ["k1"],
    fromFile: false,
  });
  await startProcess({ ...one, vaultKeys: [k2, k1.replace("k1:", "lookup:")] });
  expect(await readdir(dataDir)).toEqual([]);
});

test("a person cannot rotate keys, and other keys than those of the database are refused", async () => {
  const running = await startProcess();
  await addCode(running.admin);
  await expect(rotateKeys(running.admin, source)).rejects.toMatchObject({ code: "forbidden" });
  expect(readVaultKeyFile(dataDir).keys).toHaveLength(1);
  await writeFile(keyFile(), `other:${randomBytes(32).toString("base64")}`);
  await expect(rotateKeys(running.system, source)).rejects.toThrow("is missing");
  expect((await readFile(keyFile(), "utf8")).split(",")).toHaveLength(1);
});
