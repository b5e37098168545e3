import { desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toolPageGrants } from "#db/tables/catalog.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { credentials } from "#db/tables/vault.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import type { Context } from "../context.ts";
import { createCredential } from "./manage-credentials.server.ts";
import { tellOfMissingCredentials } from "./tool-credentials.server.ts";

let shop: SandboxShop;
let admin: Context & { actor: { email: string } };
beforeAll(async () => {
  shop = await startSandboxShop();
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

const told = async () => {
  const mails = await shop.db
    .select()
    .from(mailMessages)
    .where(eq(mailMessages.kind, "credential-missing"))
    .orderBy(desc(mailMessages.id));
  return mails.map(({ recipient, subject }) => [recipient, subject]);
};
const tell = () => tellOfMissingCredentials(shop.system());

test("the owner gets one mail about a tool whose buyer has no sign-in, from 20 runs at once, until it is fixed", async () => {
  const tool = await shop.tool({ name: "Lonely", credentialService: "QuillBot" });
  await tell();
  expect(await told()).toEqual([]);

  await shop.pass(await shop.user(), { toolId: tool.id, toolName: tool.name });
  await Promise.all(Array.from({ length: 20 }, tell));
  await tell();
  const mail = [admin.actor.email, "Buyers of Lonely get no sign-in"];
  expect(await told()).toEqual([mail]);

  const sharedSignIn = { email: "one@example.com", password: "x", isActive: true };
  await createCredential(admin, { service: "QuillBot", ...sharedSignIn });
  await tell();
  expect(await told()).toEqual([mail]);

  await shop.db.delete(credentials);
  await tell();
  expect(await told()).toEqual([mail, mail]);
});

test("a pass for another tool that opens the page counts, and so does a tool that is off sale", async () => {
  const before = (await told()).length;
  const bundle = await shop.tool({ name: "Bundle" });
  const page = await shop.tool({ name: "Opened", credentialService: "Opened service", isActive: false });
  await shop.db.insert(toolPageGrants).values({ page: page.slug, toolId: bundle.id });
  await shop.pass(await shop.user(), { toolId: bundle.id, toolName: bundle.name });
  await tell();
  expect((await told()).slice(0, (await told()).length - before)).toEqual([
    [admin.actor.email, "Buyers of Opened get no sign-in"],
  ]);
});

test("only the shop itself tells the owner about missing credentials", async () => {
  for (const ctx of [shop.visitor(), await shop.user(), admin])
    await expect(tellOfMissingCredentials(ctx)).rejects.toMatchObject({ code: "forbidden" });
});
