import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createCipher } from "#adapters/cipher/cipher.ts";
import { type KeySource, loadOrCreateKeys } from "#adapters/cipher/key-file.ts";
import {
  checkKeyFingerprints,
  hasKeyFingerprints,
  keyFingerprints,
} from "#adapters/cipher/key-fingerprints.ts";
import { createAccessCode } from "#core/access-codes/manage-access-codes.server.ts";
import { endAllSessions } from "#core/accounts/sessions.server.ts";
import type { Context } from "#core/context.ts";
import { assignTool } from "#core/passes/give-pass.server.ts";
import { giveUpSecrets } from "#core/vault/rotate-keys.server.ts";
import { sealImportedDocument } from "#core/vault/seal-secrets.ts";
import { sessions, users } from "#db/tables/accounts.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { freshDatabase } from "../tests/database/database.ts";
import { openTestShop } from "../tests/fixtures/open-test-shop.ts";
import { createManualClock } from "../tests/manual-clock.ts";
import { giveUpKeys } from "./owner-commands.ts";
import { createAskOwner, requireYes } from "./start/ask-owner.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
const admin = await shop.user("admin");
const buyer = await shop.user();
const tool = await shop.tool({ name: "Video Suite" });
let dataDir = "";
let source: KeySource;
beforeEach(async () => {
  await shop.db.execute(
    "truncate settings, access_codes, user_purchases, sessions, imported_documents cascade",
  );
  await rm(dataDir, { recursive: true, force: true });
  dataDir = await mkdtemp(join(tmpdir(), "daypass-lost-keys-"));
  source = {
    authSecret: undefined,
    vaultKeys: [],
    dataDir,
    mayGenerate: true,
    isUsed: () => hasKeyFingerprints(shop.db),
  };
});
afterAll(async () => {
  await shop.close();
  await rm(dataDir, { recursive: true, force: true });
});

const countRows = async () => ({
  users: await shop.db.$count(users),
  purchases: await shop.db.$count(userPurchases),
  sessions: await shop.db.$count(sessions),
  codes: await shop.db.$count(accessCodes),
  originals: await shop.db.$count(importedDocuments),
});

/** A shop in use: a code, a pass and a session. */
async function sell() {
  const keys = await loadOrCreateKeys(source);
  await checkKeyFingerprints(shop.db, keyFingerprints(keys));
  const withKeys = (ctx: Context): Context => ({
    ...ctx,
    ports: { ...ctx.ports, cipher: createCipher(keys) },
  });
  const code = { toolId: tool.id, serverName: "Server 1", simpleCode: "CODE-1", isActive: true };
  await createAccessCode(withKeys(admin), code);
  const [sealedId, facts] = [uuidv7(), { contentHash: "hash", collection: "credentials" as const }];
  const documentSealed = sealImportedDocument(createCipher(keys), sealedId, { password: "secret" });
  await shop.db.insert(importedDocuments).values([
    { id: sealedId, documentId: "sealed", documentSealed, document: null, ...facts },
    { documentId: "plain", documentSealed: null, document: { name: "Canva" }, ...facts },
  ]);
  await assignTool(admin, { userId: buyer.actor.userId, toolId: tool.id });
  const { userId } = buyer.actor;
  await shop.db.insert(sessions).values({ userId, token: "token", expiresAt: shop.clock.now() });
  return countRows();
}

test.each([
  ["vault-keys", { codes: 0, originals: 1 }],
  ["auth-secret", { sessions: 0 }],
  ["", { codes: 0, originals: 1, sessions: 0 }],
])("a shop that has lost keys/%s does not start; giving it up keeps users and purchases", async (file, gone) => {
  const before = await sell();
  await rm(join(dataDir, "keys", file), { recursive: true });
  await expect(loadOrCreateKeys(source)).rejects.toThrow("is missing");
  expect(await countRows()).toEqual(before);
  const { isUsed: _, ...withoutCheck } = source;
  const own = keyFingerprints(await loadOrCreateKeys(withoutCheck));
  await expect(checkKeyFingerprints(shop.db, own)).rejects.toThrow();
  await giveUpKeys(shop.system(), own);
  expect(await countRows()).toEqual({ ...before, ...gone });
  await checkKeyFingerprints(shop.db, keyFingerprints(await loadOrCreateKeys(source)));
});

test("a shop with the keys of its database gives nothing up", async () => {
  const before = await sell();
  const own = keyFingerprints(await loadOrCreateKeys(source));
  expect(await giveUpKeys(shop.system(), own)).toEqual({ secrets: null, sessions: false });
  expect(await countRows()).toEqual(before);
});

test("a database without tables counts as not used", async () => {
  expect(await hasKeyFingerprints(shop.db)).toBe(false);
  await sell();
  expect(await hasKeyFingerprints(shop.db)).toBe(true);
});

test("only the system may give up secrets or end all sessions", async () => {
  for (const ctx of [shop.visitor(), buyer, admin]) {
    await expect(giveUpSecrets(ctx)).rejects.toMatchObject({ code: "forbidden" });
    await expect(endAllSessions(ctx)).rejects.toMatchObject({ code: "forbidden" });
  }
});

test("an argument that no command has is refused: a typed address would be ignored", () => {
  expect(() => createAskOwner(["admn@example.com"])).toThrow("The argument admn@example.com is unknown");
  expect(createAskOwner(["--yes", "--make-admin"]).flags).toHaveLength(2);
});

test("the owner agrees with yes on the terminal, or with the flag; without a terminal nothing happens", async () => {
  const question = { question: "Go on?", flag: "--yes" };
  const answer = (text: string) => ({ flags: [], ask: async () => text });
  await requireYes(answer(" Yes "), question);
  await requireYes({ flags: ["--yes"], ask: null }, question);
  for (const text of ["", "y", "no"])
    await expect(requireYes(answer(text), question)).rejects.toThrow("Nothing was changed.");
  await expect(requireYes({ flags: [], ask: null }, question)).rejects.toThrow("add -- --yes");
});
