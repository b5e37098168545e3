import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createCipher, type VaultKeys } from "#adapters/cipher/cipher.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createAccessCode, updateAccessCode } from "../access-codes/manage-access-codes.server.ts";
import type { Context } from "../context.ts";
import { createCredential } from "../credentials/manage-credentials.server.ts";
import type { Cipher } from "../ports.ts";
import { resealSecrets, retireVaultKeys } from "./rotate-keys.server.ts";
import { openAccessCode, openImportedDocument, openPassword, sealImportedDocument } from "./seal-secrets.ts";

const oldKey = { id: "k1", key: Buffer.alloc(32, 1) };
const newKey = { id: "k2", key: Buffer.alloc(32, 3) };
const lookupKey = Buffer.alloc(32, 2);
let vault: VaultKeys;
const shop = openTestShop(await freshDatabase(), {
  clock: { now: () => new Date("2026-11-21T10:00:00Z") },
  ports: { cipher: createCipher({ keys: [oldKey], lookupKey }, () => vault) },
});
const { db } = shop;
const onlyNew = createCipher({ keys: [newKey], lookupKey });
const startRotation = () => {
  vault = { keys: [newKey, oldKey], lookupKey };
};
let admin: Context;
let toolId: string;

beforeAll(async () => {
  admin = await shop.user("admin");
  toolId = (await shop.tool({ name: "Video Suite" })).id;
});
beforeEach(async () => {
  vault = { keys: [oldKey], lookupKey };
  await db.execute("truncate access_codes, audit_events cascade");
  await db.execute("delete from credentials");
  await db.execute("delete from imported_documents");
});
afterAll(() => shop.close());

const fieldsOf = (simpleCode: string) => ({ toolId, serverName: "Server 1", simpleCode, isActive: true });

async function fill(codes: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < codes; at++) ids.push((await createAccessCode(admin, fieldsOf(`CODE-${at}`))).id);
  const shared = { service: "QuillBot", email: "shared@example.com", isActive: true };
  await createCredential(admin, { ...shared, password: "a shared password" });
  return ids;
}

async function secretsWith(cipher: Cipher): Promise<string[]> {
  const codes = await db.select().from(accessCodes).orderBy(accessCodes.id);
  const passwords = await db.select().from(credentials);
  return [
    ...codes.map((row) => openAccessCode(cipher, row).simpleCode),
    ...passwords.map((row) => openPassword(cipher, row)),
  ];
}

const auditOf = async (action: string) =>
  (await db.select().from(auditEvents).orderBy(auditEvents.id)).filter((event) => event.action === action);

test("every code and password opens with the new key alone, and nothing else of the rows changes", async () => {
  await fill(3);
  const withoutSeals = async () =>
    JSON.stringify([await db.select().from(accessCodes), await db.select().from(credentials)]).replace(
      /"v1\.[^"]*"/g,
      "sealed",
    );
  const before = await withoutSeals();
  startRotation();
  expect(await resealSecrets(shop.system(), { limit: 100 })).toEqual({
    accessCodes: 3,
    credentials: 1,
    importedDocuments: 0,
    payers: 0,
  });
  expect(await secretsWith(onlyNew)).toEqual(["CODE-0", "CODE-1", "CODE-2", "a shared password"]);
  expect(await withoutSeals()).toBe(before);
  expect(await resealSecrets(shop.system(), { limit: 100 })).toEqual({
    accessCodes: 0,
    credentials: 0,
    importedDocuments: 0,
    payers: 0,
  });
  const events = await auditOf("vault.rotated");
  expect(events).toMatchObject([{ actorKind: "system", details: { accessCodes: 3, credentials: 1 } }]);
  expect(JSON.stringify(events)).not.toMatch(/CODE-|shared password/);
});

test("a batch that fails changes nothing, and a second run seals the rest", async () => {
  const ids = await fill(5);
  startRotation();
  expect(await resealSecrets(shop.system(), { limit: 2 })).toMatchObject({ accessCodes: 2, credentials: 1 });
  const whole = shop.system();
  let seals = 0;
  const failing: Cipher = {
    ...whole.ports.cipher,
    seal: (plain, place) => {
      if (++seals === 4) throw new Error("the process ends here");
      return whole.ports.cipher.seal(plain, place);
    },
  };
  const killed = resealSecrets({ ...whole, ports: { ...whole.ports, cipher: failing } }, { limit: 100 });
  await expect(killed).rejects.toThrow("the process ends here");
  expect(await auditOf("vault.rotated")).toHaveLength(1);
  expect(await secretsWith(whole.ports.cipher)).toHaveLength(ids.length + 1);
  expect(await resealSecrets(shop.system(), { limit: 100 })).toMatchObject({
    accessCodes: 3,
    credentials: 0,
  });
  expect(await secretsWith(onlyNew)).toHaveLength(ids.length + 1);
});

test("edits during the rotation are kept, and their form remains valid", async () => {
  const ids = await fill(12);
  startRotation();
  const edits = ids.map((id, at) =>
    updateAccessCode(admin, { ...fieldsOf(`EDITED-${at}`), id, version: 1, sessionCode: `session-${at}` }),
  );
  const batches = Array.from({ length: 6 }, () => resealSecrets(shop.system(), { limit: 3 }));
  await Promise.all([...edits, ...batches]);
  await resealSecrets(shop.system(), { limit: 100 });
  expect(await secretsWith(onlyNew)).toEqual([...ids.map((_, at) => `EDITED-${at}`), "a shared password"]);
});

test("old keys are retired only when no value is sealed with them", async () => {
  await fill(2);
  startRotation();
  const forgotten: string[] = [];
  const forget = async (_tx: unknown, keyIds: readonly string[]) => void forgotten.push(...keyIds);
  expect(await retireVaultKeys(shop.system(), { keyIds: ["k1"] }, forget)).toBe(false);
  expect(forgotten).toEqual([]);
  await resealSecrets(shop.system(), { limit: 100 });
  expect(await retireVaultKeys(shop.system(), { keyIds: ["k1"] }, forget)).toBe(true);
  expect(forgotten).toEqual(["k1"]);
  expect(await auditOf("vault.keys-removed")).toMatchObject([{ details: { keyIds: ["k1"] } }]);
});

test("nobody but the shop itself rotates keys, not even an admin", async () => {
  for (const ctx of [admin, await shop.user(), shop.visitor()]) {
    await expect(resealSecrets(ctx, { limit: 100 })).rejects.toMatchObject({ code: "forbidden" });
    const retired = retireVaultKeys(ctx, { keyIds: ["k1"] }, async () => undefined);
    await expect(retired).rejects.toMatchObject({ code: "forbidden" });
  }
});

test("the sealed documents of an old shop open with the new key alone, and keep the old key until then", async () => {
  const ids = [uuidv7(), uuidv7(), uuidv7()];
  const facts = { collection: "credentials" as const, contentHash: "hash" };
  for (const id of ids) {
    const documentSealed = sealImportedDocument(shop.ports.cipher, id, { password: `secret ${id}` });
    await db.insert(importedDocuments).values({ id, documentId: id, documentSealed, ...facts });
  }
  const plain = { id: uuidv7(), documentId: "plain", document: { name: "Canva" }, ...facts };
  await db.insert(importedDocuments).values(plain);
  startRotation();
  const retire = () => retireVaultKeys(shop.system(), { keyIds: ["k1"] }, async () => {});
  expect(await resealSecrets(shop.system(), { limit: 2 })).toMatchObject({ importedDocuments: 2 });
  expect(await retire()).toBe(false);
  expect(await resealSecrets(shop.system(), { limit: 2 })).toMatchObject({ importedDocuments: 1 });
  expect(await resealSecrets(shop.system(), { limit: 2 })).toMatchObject({ importedDocuments: 0 });
  const rows = await db.select().from(importedDocuments);
  for (const { id, document, documentSealed } of rows) {
    if (documentSealed === null) expect(document).toEqual(plain.document);
    else expect(openImportedDocument(onlyNew, { id, documentSealed })).toEqual({ password: `secret ${id}` });
  }
  expect(rows.filter(({ documentSealed }) => documentSealed !== null)).toHaveLength(3);
  expect(await retire()).toBe(true);
});
