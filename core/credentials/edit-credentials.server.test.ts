import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { credentials } from "#db/tables/vault.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import type { Context } from "../context.ts";
import {
  createCredential,
  deleteCredential,
  ensureCredential,
  revealCredential,
  updateCredential,
} from "./manage-credentials.server.ts";

const shop = openTestShop(await freshDatabase(), {
  clock: { now: () => new Date("2026-11-21T10:00:00Z") },
});
const { db } = shop;
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

let count = 0;
/** What the form of a credential sends. */
const form = (changes: object = {}) => ({
  service: "QuillBot",
  email: `box-${++count}@example.com`,
  password: " SECRET pass ",
  isActive: "on",
  ...changes,
});

async function addCredential() {
  const sent = form();
  const { id } = await createCredential(admin, sent);
  return { id, edit: { ...sent, id, version: 1, password: "" } };
}

const rowOf = async (id: string) => (await db.select().from(credentials).where(eq(credentials.id, id)))[0];

test("creating a credential seals its password; revealing it is audited without it", async () => {
  const { id, edit } = await addCredential();
  const row = await rowOf(id);
  expect(row).toMatchObject({ service: "QuillBot", email: edit.email, isActive: true, version: 1 });
  expect(await revealCredential(admin, { id })).toEqual({ password: " SECRET pass " });
  const events = await shop.auditsOf(id);
  expect(events).toMatchObject([
    { action: "credential.created", details: { after: { service: "QuillBot", email: edit.email } } },
    { action: "credential.revealed", details: { service: "QuillBot", email: edit.email } },
  ]);
  expect(JSON.stringify([row, events])).not.toContain("SECRET");
});

test("a sealed password that was copied from another row cannot be revealed", async () => {
  const one = await addCredential();
  const two = await addCredential();
  const passwordSealed = (await rowOf(one.id))?.passwordSealed ?? "";
  await db.update(credentials).set({ passwordSealed }).where(eq(credentials.id, two.id));
  await expect(revealCredential(admin, { id: two.id })).rejects.toThrow("was changed or moved");
});

test("a credential of another service is stored by the name that was typed, and one of the list as the list has it", async () => {
  const add = (changes: object) => createCredential(admin, form(changes));
  const typed = await add({ service: "Other", otherService: " Canva " });
  const listed = await add({ service: "Other", otherService: "quillbot" });
  const chosen = await add({ service: "Write Human", otherService: "Canva" });
  const services = await Promise.all(
    [typed, listed, chosen].map(async ({ id }) => (await rowOf(id))?.service),
  );
  expect(services).toEqual(["Canva", "QuillBot", "Write Human"]);
});

test("changing a credential keeps the password when none is sent, and replaces it when one is", async () => {
  const { id, edit } = await addCredential();
  expect(await updateCredential(admin, { ...edit, service: "Other", otherService: "Canva" })).toEqual({
    version: 2,
  });
  expect(await revealCredential(admin, { id })).toEqual({ password: " SECRET pass " });
  await updateCredential(admin, { ...edit, version: 2, password: "SECRET-2", isActive: undefined });
  expect(await revealCredential(admin, { id })).toEqual({ password: "SECRET-2" });
  const updates = (await shop.auditsOf(id)).filter(({ action }) => action === "credential.updated");
  expect(updates.map(({ details }) => details)).toEqual([
    { before: { service: "QuillBot" }, after: { service: "Canva" }, passwordChanged: false },
    {
      before: { service: "Canva", isActive: true },
      after: { service: "QuillBot", isActive: false },
      passwordChanged: true,
    },
  ]);
});

test("two admins change the same credential at once: the second is told and nothing of theirs is saved", async () => {
  const { edit, id } = await addCredential();
  const results = await Promise.allSettled([
    updateCredential(admin, { ...edit, service: "Stealth Writer" }),
    updateCredential(admin, { ...edit, service: "Write Human" }),
  ]);
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toMatchObject([{ code: "changed-meanwhile" }]);
  expect(await rowOf(id)).toMatchObject({ version: 2 });
});

test("a service and email are stored once, also when several requests arrive at once", async () => {
  const sent = form();
  const results = await Promise.allSettled(
    [sent, { ...sent, email: sent.email.toUpperCase() }, sent].map((one) => createCredential(admin, one)),
  );
  const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(refused).toMatchObject([{ code: "credential-taken" }, { code: "credential-taken" }]);
  const { edit } = await addCredential();
  await expect(updateCredential(admin, { ...edit, email: sent.email })).rejects.toMatchObject({
    code: "credential-taken",
  });
});

test.each([
  [{ service: "Netflix" }, "service", "Choose a service."],
  [{ service: "Other" }, "otherService", "Enter the name of the service."],
  [{ service: "Other", otherService: "  " }, "otherService", "Enter the name of the service."],
  [{ service: "Other", otherService: "other" }, "otherService", "Enter the name of the service."],
  [{ email: "" }, "email", "Enter the email."],
  [{ email: "nobody" }, "email", "Please enter a valid email address."],
  [{ password: "" }, "password", "Enter the password."],
  [{ password: undefined }, "password", "Enter the password."],
])("a credential with %j is refused and not stored", async (changes, field, message) => {
  const before = await db.$count(credentials);
  await expect(createCredential(admin, form(changes))).rejects.toMatchObject({
    fields: { [field]: [message] },
  });
  expect(await db.$count(credentials)).toBe(before);
});

test.each([
  ["Box <One@Example.com>", "one@example.com"],
  ["mailto:two@example.com?subject=Hello", "two@example.com"],
  ["box@उदाहरण.भारत", "box@xn--p1b6ci4b4b3a.xn--h2brj9c"],
  // Its service may tell capitals apart.
  [" Three@Example.com\u200b", "Three@Example.com"],
])("the address %j of a credential is stored as %j, when it is added and when it is changed", async (email, stored) => {
  const { id } = await createCredential(admin, form({ email }));
  expect(await rowOf(id)).toMatchObject({ email: stored });
  await deleteCredential(admin, { id });
  const other = await addCredential();
  await updateCredential(admin, { ...other.edit, email });
  expect(await rowOf(other.id)).toMatchObject({ email: stored });
});

test("a name of a user that was imported stays when the rest is changed, and cannot be typed", async () => {
  const { id, edit } = await addCredential();
  await db.update(credentials).set({ email: "team-login" }).where(eq(credentials.id, id));
  const { version } = await updateCredential(admin, { ...edit, email: "team-login", isActive: undefined });
  expect(await rowOf(id)).toMatchObject({ email: "team-login", isActive: false });
  const other = { ...edit, version, email: "other-login" };
  await expect(updateCredential(admin, other)).rejects.toMatchObject({
    code: "invalid-input",
    fields: { email: ["Please enter a valid email address."] },
  });
  await expect(createCredential(admin, form({ email: "team-login" }))).rejects.toMatchObject({
    code: "invalid-input",
  });
});

test("deleting a credential removes its row and is audited", async () => {
  const { id, edit } = await addCredential();
  await deleteCredential(admin, { id });
  expect(await rowOf(id)).toBeUndefined();
  expect((await shop.auditsOf(id)).at(-1)).toMatchObject({
    action: "credential.deleted",
    details: { before: { service: "QuillBot" } },
  });
  const refusal = { code: "not-found" };
  await expect(deleteCredential(admin, { id })).rejects.toMatchObject(refusal);
  await expect(updateCredential(admin, edit)).rejects.toMatchObject(refusal);
  await expect(revealCredential(admin, { id })).rejects.toMatchObject(refusal);
});

test("revealing and deleting a credential need a password that was entered in the last 15 minutes", async () => {
  const { id } = await addCredential();
  const late = withOldPassword(admin);
  const refusal = { code: "password-needed" };
  await expect(revealCredential(late, { id })).rejects.toMatchObject(refusal);
  await expect(deleteCredential(late, { id })).rejects.toMatchObject(refusal);
  expect(await rowOf(id)).toMatchObject({ version: 1 });
  expect(await shop.auditsOf(id)).toHaveLength(1);
});

test.each([
  "visitor",
  "user",
  "system",
] as const)("the actor %s can neither read nor change credentials", async (kind) => {
  const { id, edit } = await addCredential();
  const ctx = kind === "user" ? await shop.user() : kind === "visitor" ? shop.visitor() : shop.system();
  const refusal = { code: kind === "user" ? "forbidden" : "unauthenticated" };
  const before = await rowOf(id);
  await expect(createCredential(ctx, form())).rejects.toMatchObject(refusal);
  await expect(updateCredential(ctx, edit)).rejects.toMatchObject(refusal);
  await expect(deleteCredential(ctx, { id })).rejects.toMatchObject(refusal);
  await expect(revealCredential(ctx, { id })).rejects.toMatchObject(refusal);
  expect(await rowOf(id)).toEqual(before);
  expect(await shop.auditsOf(id)).toHaveLength(1);
});

test("ensuring a credential adds it active once, also when it is asked for several times at once", async () => {
  const { isActive: _, ...wanted } = form();
  const results = await Promise.all(Array.from({ length: 6 }, () => ensureCredential(admin, wanted)));
  expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
  const [id = "", ...others] = new Set(results.map((one) => one.id));
  expect(others).toEqual([]);
  expect(await rowOf(id)).toMatchObject({ service: "QuillBot", email: wanted.email, isActive: true });
  expect(await revealCredential(admin, { id })).toEqual({ password: wanted.password });
});

test("ensuring a credential leaves one that exists as it is, whatever the case of its address and the password", async () => {
  const { id, edit } = await addCredential();
  const before = await rowOf(id);
  const wanted = { service: edit.service, email: edit.email.toUpperCase(), password: "another" };
  expect(await ensureCredential(admin, wanted)).toEqual({ id, isNew: false });
  expect(await rowOf(id)).toEqual(before);
});

test("ensuring a credential is for admins only and needs a service, an address and a password", async () => {
  const { isActive: _, ...wanted } = form();
  await expect(ensureCredential(await shop.user(), wanted)).rejects.toMatchObject({ code: "forbidden" });
  await expect(
    ensureCredential(admin, { ...wanted, service: "Netflix", password: "" }),
  ).rejects.toMatchObject({
    code: "invalid-input",
    fields: { service: ["Choose a service."], password: ["Enter the password."] },
  });
});
