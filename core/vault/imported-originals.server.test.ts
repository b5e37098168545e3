import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importedDocuments } from "#db/tables/imports.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { deleteUser } from "../accounts/delete-account.server.ts";
import { listAuditEvents } from "../audit/list-audit-events.server.ts";
import type { Context } from "../context.ts";
import { readImportedOriginals, revealImportedOriginal } from "./imported-originals.server.ts";
import { sealImportedDocument } from "./seal-secrets.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

type Values = Partial<typeof importedDocuments.$inferInsert>;

async function add(values: Values & Pick<typeof importedDocuments.$inferInsert, "collection">) {
  const id = values.id ?? uuidv7();
  const fields = { documentId: `doc-${id}`, contentHash: "hash", ...values, id };
  await shop.db.insert(importedDocuments).values(fields);
  return fields;
}

async function addSealed(secret: string) {
  const id = uuidv7();
  const documentSealed = sealImportedDocument(shop.ports.cipher, id, {
    service: "QuillBot",
    password: secret,
  });
  const becameId = uuidv7();
  await add({
    id,
    collection: "credentials",
    documentSealed,
    becameTable: "credentials",
    becameId,
  });
  return { id, becameId };
}

const stored = async (id: string) =>
  (await shop.db.select().from(importedDocuments).where(eq(importedDocuments.id, id)))[0];

test("the original documents of a row are read, each as it was", async () => {
  const [purchaseId, userId] = [uuidv7(), uuidv7()];
  const document = {
    toolName: "Canva",
    price: 499,
    nested: { a: [1, "two"] },
    purchaseDate: "2024-05-01T10:00:00.000Z",
  };
  const became = { becameTable: "user_purchases", becameId: purchaseId } as const;
  const newer = await add({ collection: "user_purchases", document: { amount: 49_900 }, ...became });
  const older = await add({ collection: "purchases", document, ...became });
  await add({ collection: "users", document: {}, becameTable: "users", becameId: userId });
  await add({ collection: "purchases", document: { refused: true } });
  expect(await readImportedOriginals(admin, { table: "user_purchases", id: purchaseId })).toEqual([
    { id: older.id, collection: "purchases", documentId: older.documentId, fields: document },
    { id: newer.id, collection: "user_purchases", documentId: newer.documentId, fields: { amount: 49_900 } },
  ]);
  expect(await readImportedOriginals(admin, { table: "users", id: purchaseId })).toEqual([]);
});

test("a document with passwords is opened with a recent password only, and the reveal is audited", async () => {
  const secret = "hunter-2-original";
  const { id, becameId } = await addSealed(secret);
  const read = await readImportedOriginals(withOldPassword(admin), { table: "credentials", id: becameId });
  expect(read).toMatchObject([{ id, collection: "credentials", fields: null }]);
  expect(JSON.stringify(await stored(id))).not.toContain(secret);
  await expect(revealImportedOriginal(withOldPassword(admin), { id })).rejects.toMatchObject({
    code: "password-needed",
  });
  expect(await shop.auditsOf(id)).toEqual([]);
  expect(await revealImportedOriginal(admin, { id })).toEqual({
    fields: { service: "QuillBot", password: secret },
  });
  const { rows } = await listAuditEvents(admin, { q: id });
  expect(rows).toMatchObject([
    { action: "imported-document.revealed", subjectName: `doc-${id} (credentials)` },
  ]);
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test("a document cannot be opened in the place of another one", async () => {
  const [one, other] = [await addSealed("first"), await addSealed("second")];
  await shop.db
    .update(importedDocuments)
    .set({ documentSealed: (await stored(other.id))?.documentSealed ?? "" })
    .where(eq(importedDocuments.id, one.id));
  await expect(revealImportedOriginal(admin, { id: one.id })).rejects.toThrow();
});

test("what is not sealed is not revealed, and only an admin reads originals", async () => {
  const { id, becameId } = await addSealed("a secret");
  const plain = await add({ collection: "tools", document: { name: "Canva" } });
  await expect(revealImportedOriginal(admin, { id: plain.id })).rejects.toMatchObject({ code: "not-found" });
  await expect(revealImportedOriginal(admin, { id: uuidv7() })).rejects.toMatchObject({ code: "not-found" });
  for (const [ctx, code] of [
    [await shop.user(), "forbidden"],
    [shop.visitor(), "unauthenticated"],
    [shop.system(), "unauthenticated"],
  ] as const) {
    await expect(readImportedOriginals(ctx, { table: "credentials", id: becameId })).rejects.toMatchObject({
      code,
    });
    await expect(revealImportedOriginal(ctx, { id })).rejects.toMatchObject({ code });
  }
});

test("the deletion of an account empties the documents of this person and of nobody else", async () => {
  const [gone, stays] = [await shop.user(), await shop.user()];
  const documentsOf = async ({ actor: { userId, email } }: typeof gone) => {
    const [purchaseId, uid] = [uuidv7(), `uid-${userId}`];
    await shop.pass({ actor: { userId, email } }, { id: purchaseId, toolName: "Canva", source: "import" });
    const asUser = { becameTable: "users", becameId: userId } as const;
    const document = { email: email.toUpperCase(), displayName: "Asha" };
    const sealed = { id: uuidv7(), collection: "user_documents", ...asUser } as const;
    const all = [
      await add({ collection: "accounts", documentId: uid, document, ...asUser }),
      await add({ collection: "users", documentId: uid, document, ...asUser }),
      await add({ ...sealed, documentSealed: sealImportedDocument(shop.ports.cipher, sealed.id, document) }),
      await add({
        collection: "purchases",
        document: { userEmail: email },
        becameTable: "user_purchases",
        becameId: purchaseId,
      }),
      // Refused by the import: they became nothing, and name the person.
      await add({ collection: "purchases", document: { buyer: { userEmail: email.toUpperCase() } } }),
      await add({ collection: "user_purchases", document: { userId: uid, toolName: "?" } }),
    ];
    return Promise.all(all.map(({ id }) => stored(id)));
  };
  const ofGone = await documentsOf(gone);
  const ofOther = await documentsOf(stays);
  const similar = await add({ collection: "purchases", document: { userEmail: `x${gone.actor.email}` } });
  const tool = await add({ collection: "tools", document: { name: "Canva", by: gone.actor.email } });
  await deleteUser(admin, { userId: gone.actor.userId });
  for (const before of ofGone)
    expect(await stored(before?.id ?? "")).toEqual({ ...before, document: {}, documentSealed: null });
  for (const before of ofOther) expect(await stored(before?.id ?? "")).toEqual(before);
  expect(await stored(similar.id)).toMatchObject({ document: similar.document });
  expect(await stored(tool.id)).toMatchObject({ document: tool.document });
});
