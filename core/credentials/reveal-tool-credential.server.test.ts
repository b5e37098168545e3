import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { tools } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { credentials } from "#db/tables/vault.ts";
import { now, openToolPageShop } from "#tests/fixtures/tool-page-shop.ts";
import type { Actor } from "../context.ts";
import { MINUTE } from "../time.ts";
import { getToolPage } from "../tool-pages/get-tool-page.server.ts";
import { createCredential, updateCredential } from "./manage-credentials.server.ts";
import { findToolsWithoutCredential, revealToolCredential } from "./tool-credentials.server.ts";

const shop = await openToolPageShop();
const { addPass, addTool, addUser, admin, contextOf, db } = shop;
afterAll(() => shop.close());

let count = 0;

/** A tool with this credential service, and a buyer with a pass for it. */
async function addToolOf(credentialService: string | null, credentialId: string | null = null) {
  const page = `tool-${++count}`;
  const tool = await addTool(page, { credentialService, credentialId });
  const buyer = await addUser();
  await addPass(buyer, { toolId: tool.id, toolName: tool.name });
  const reveal = (field: "email" | "password", actor: Actor = buyer) =>
    revealToolCredential(contextOf(actor), { page, field });
  return { page, buyer, reveal };
}

/** Makes `services` the only services with a credential, the last one newest. */
async function setServices(...services: string[]) {
  await db.delete(credentials);
  const ids: string[] = [];
  for (const [at, service] of services.entries()) {
    const form = {
      service: "QuillBot",
      email: `box-${at}@example.com`,
      password: `SECRET-${at}`,
      isActive: "on",
    };
    const { id } = await createCredential(contextOf(admin), form);
    const createdAt = new Date(now.getTime() + at);
    await db.update(credentials).set({ service, createdAt }).where(eq(credentials.id, id));
    ids.push(id);
  }
  return ids;
}

test("revealing a tool's credential gives a buyer the email and the password, and audits each without its value", async () => {
  await setServices("Stealth Writer");
  const { page, buyer, reveal } = await addToolOf("Stealth Writer");
  expect(await reveal("email")).toMatchObject({ value: "box-0@example.com" });
  expect(await reveal("password")).toMatchObject({ value: "SECRET-0" });
  const events = await db.select().from(auditEvents).where(eq(auditEvents.actorId, buyer.userId));
  expect(events.map(({ action, details }) => [action, details])).toEqual([
    ["credential.revealed", { service: "Stealth Writer", page, field: "email" }],
    ["credential.revealed", { service: "Stealth Writer", page, field: "password" }],
  ]);
  expect(JSON.stringify(events)).not.toMatch(/SECRET|box-0/);
});

test("revealing a tool's credential takes the tool's own one before all others, also without a service", async () => {
  const [own = ""] = await setServices("Other", "Stealth Writer", "Other");
  for (const service of ["Stealth Writer", "Other", null]) {
    const { reveal } = await addToolOf(service, own);
    expect(await reveal("email")).toMatchObject({ value: "box-0@example.com" });
  }
});

test("an inactive credential of the tool gives nothing and is reported; its service's one is taken after its deletion", async () => {
  const [own = ""] = await setServices("Other", "Stealth Writer");
  const { page, buyer, reveal } = await addToolOf("Stealth Writer", own);
  const isPage = eq(tools.slug, page);
  expect(await findToolsWithoutCredential(db, isPage)).toEqual([]);
  await db.update(credentials).set({ isActive: false }).where(eq(credentials.id, own));
  await expect(reveal("email")).rejects.toMatchObject({ code: "credential-not-found" });
  expect(await getToolPage(contextOf(buyer), { slug: page })).toMatchObject({
    credential: { version: null },
  });
  expect(await findToolsWithoutCredential(db, isPage)).toMatchObject([{ slug: page, service: null }]);
  await db.delete(credentials).where(eq(credentials.id, own));
  expect(await reveal("email")).toMatchObject({ value: "box-1@example.com" });
  expect(await findToolsWithoutCredential(db, isPage)).toEqual([]);
  const [tool] = await db.select().from(tools).where(isPage);
  expect(tool).toMatchObject({ credentialId: null });
});

test.each([
  ["Stealth Writer", ["Stealth Writer", "Stealth Writer Two"], 0],
  ["stealthwriter", ["My Stealth Writer", " STEALTH-WRITER "], 1],
  ["write-human", ["WriteHuman", "Write Human Pro"], 0],
])("revealing a credential for the service %j with the credentials of %j takes the exact name", async (service, stored, at) => {
  await setServices(...stored);
  const { reveal } = await addToolOf(service);
  expect(await reveal("email")).toMatchObject({ value: `box-${at}@example.com` });
});

test.each([
  ["Stealth Writer Pro", ["QuillBot", "Stealth Writer"], 1],
  ["Stealth Writer", ["STEALTH-WRITER pro", "QuillBot"], 0],
  ["Quill", ["Stealth Writer", "QuillBot"], 1],
])("revealing a credential for the service %j with the credentials of %j takes the only partial name", async (service, stored, at) => {
  await setServices(...stored);
  const { reveal } = await addToolOf(service);
  expect(await reveal("email")).toMatchObject({ value: `box-${at}@example.com` });
});

test.each<[string | null, string[]]>([
  ["Write Human", ["Writer"]],
  ["Pro", ["QuillBot"]],
  ["-", ["--"]],
  [null, ["Other"]],
  // More than one fits.
  ["Other", ["Other", "Other"]],
  ["Stealth Writer", ["Stealth Writer", "stealth-writer"]],
  ["Writer", ["Stealth Writer", "Ghost Writer"]],
])("revealing a credential for the service %j with the credentials of %j gives nothing", async (service, stored) => {
  await setServices(...stored);
  const { page, buyer, reveal } = await addToolOf(service);
  await expect(reveal("email")).rejects.toMatchObject({ code: "credential-not-found" });
  const shown = await getToolPage(contextOf(buyer), { slug: page });
  expect(shown).toMatchObject({ credential: service === null ? null : { version: null } });
});

test("a tool's credential has a version that the page shows too, and that changes with the email and the password only", async () => {
  const [id = ""] = await setServices("Stealth Writer");
  const { page, buyer, reveal } = await addToolOf("Stealth Writer");
  const shown = async () => {
    const found = await getToolPage(contextOf(buyer), { slug: page });
    expect(JSON.stringify(found)).not.toMatch(/SECRET|box-/);
    return found.access === "granted" ? found.credential?.version : undefined;
  };
  const later = (minutes: number) => ({
    ...contextOf(admin),
    clock: { now: () => new Date(now.getTime() + minutes * MINUTE) },
  });
  const edit = { id, service: "Stealth Writer", email: "box-0@example.com", password: "", isActive: "on" };
  const { version: first } = await reveal("email");
  expect(await shown()).toBe(first);
  await updateCredential(later(1), { ...edit, version: 1, password: "SECRET-0" });
  expect(await shown()).toBe(first);
  await updateCredential(later(2), { ...edit, version: 2, password: "SECRET-new" });
  const second = await shown();
  expect(second).not.toBe(first);
  await updateCredential(later(3), { ...edit, version: 3, email: "box-new@example.com" });
  expect(await shown()).not.toBe(second);
  await updateCredential(later(4), {
    ...edit,
    version: 4,
    email: "box-new@example.com",
    isActive: undefined,
  });
  expect(await shown()).toBeNull();
});

test("revealing a tool's credential refuses another field", async () => {
  const { page, buyer } = await addToolOf("Stealth Writer");
  const input = { page, field: "service" };
  await expect(revealToolCredential(contextOf(buyer), input)).rejects.toMatchObject({
    code: "invalid-input",
  });
});

test("the credential of a free tool is given to every signed-in user, and to an admin without a pass", async () => {
  await setServices("QuillBot");
  await addTool("free-with-sign-in", { pricePaise: 0, credentialService: "QuillBot" });
  const input = { page: "free-with-sign-in", field: "email" };
  for (const actor of [await addUser(), admin])
    expect(await revealToolCredential(contextOf(actor), input)).toMatchObject({
      value: "box-0@example.com",
    });
});
