import { eq } from "drizzle-orm";
import { afterAll, describe, expect, test } from "vitest";
import { auditEvents } from "#db/tables/operations.ts";
import { credentials } from "#db/tables/vault.ts";
import type { Actor } from "../context.ts";
import { MINUTE } from "../time.ts";
import { getToolPage } from "../tool-pages/get-tool-page.server.ts";
import { now, openToolPageShop } from "../tool-pages/testing/tool-page-shop.ts";
import { createCredential } from "./create-credential.server.ts";
import { revealToolCredential } from "./reveal-tool-credential.server.ts";
import { updateCredential } from "./update-credential.server.ts";

const shop = await openToolPageShop();
const { addPass, addTool, addUser, admin, contextOf, db } = shop;
afterAll(() => shop.close());

let count = 0;

/** A tool with this credential service, and a buyer with a pass for it. */
async function addToolOf(credentialService: string | null) {
  const page = `tool-${++count}`;
  const tool = await addTool(page, { credentialService });
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
      service: "Other",
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

describe("revealing a tool's credential", () => {
  test("gives a buyer the email and the password, and audits each without its value", async () => {
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

  test.each([
    ["Stealth Writer", "Stealth Writer"],
    ["stealthwriter", "Stealth Writer"],
    ["Stealth Writer Pro", "Stealth Writer"],
    ["Stealth Writer", " STEALTH-WRITER pro "],
    ["write-human", "Write Human"],
    ["Write Human", "WriteHuman"],
  ])("for the service %j finds the credential of %j", async (service, stored) => {
    await setServices(stored, "QuillBot");
    const { reveal } = await addToolOf(service);
    expect(await reveal("email")).toMatchObject({ value: "box-0@example.com" });
  });

  test.each([
    ["Write Human", "Writer"],
    ["Pro", "QuillBot"],
    ["-", "--"],
    [null, "Other"],
  ])("for the service %j does not find the credential of %j", async (service, stored) => {
    await setServices(stored);
    const { reveal } = await addToolOf(service);
    await expect(reveal("email")).rejects.toMatchObject({ code: "credential-not-found" });
  });

  test("takes the newest active credential", async () => {
    const [, newest = ""] = await setServices("Stealth Writer", "stealth-writer");
    const { reveal } = await addToolOf("Stealth Writer");
    expect(await reveal("email")).toMatchObject({ value: "box-1@example.com" });
    await db.update(credentials).set({ isActive: false }).where(eq(credentials.id, newest));
    expect(await reveal("email")).toMatchObject({ value: "box-0@example.com" });
  });

  test("has a version that the page shows too, and that changes with the email and the password only", async () => {
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

  test("refuses another field", async () => {
    const { page, buyer } = await addToolOf("Stealth Writer");
    const input = { page, field: "service" };
    await expect(revealToolCredential(contextOf(buyer), input)).rejects.toMatchObject({
      code: "invalid-input",
    });
  });

  test("of a free tool is given to every signed-in user, and to an admin without a pass", async () => {
    await setServices("QuillBot");
    await addTool("free-with-sign-in", { pricePaise: 0, credentialService: "QuillBot" });
    const input = { page: "free-with-sign-in", field: "email" };
    for (const actor of [await addUser(), admin])
      expect(await revealToolCredential(contextOf(actor), input)).toMatchObject({
        value: "box-0@example.com",
      });
  });
});
