import { afterAll, expect, test } from "vitest";
import { auditEvents } from "#db/tables/operations.ts";
import { accessCodeReports } from "#db/tables/vault.ts";
import { inactivePasses, openToolPageShop } from "#tests/fixtures/tool-page-shop.ts";
import { createAccessCode } from "../access-codes/manage-access-codes.server.ts";
import { reportAccessCode } from "../access-codes/report-access-code.server.ts";
import { revealAccessCode } from "../access-codes/reveal-access-code.server.ts";
import type { Actor, Context } from "../context.ts";
import { createCredential } from "../credentials/manage-credentials.server.ts";
import { revealToolCredential } from "../credentials/tool-credentials.server.ts";

const shop = await openToolPageShop();
const { addPass, addTool, addUser, admin, chat, contextOf, db } = shop;
afterAll(() => shop.close());

await createCredential(contextOf(admin), {
  service: "QuillBot",
  email: "box@example.com",
  password: "SECRET",
  isActive: true,
});
const page = "with-everything";
const tool = await addTool(page, {
  servers: [{ id: "s1", name: "Server 1", url: null }],
  credentialService: "QuillBot",
});
await createAccessCode(contextOf(admin), {
  toolId: tool.id,
  serverName: "Server 1",
  simpleCode: "SECRET-CODE",
  isActive: true,
});
const pass = { toolId: tool.id, toolName: tool.name };

const operations: Record<string, (ctx: Context) => Promise<unknown>> = {
  "revealing an access code": (ctx) => revealAccessCode(ctx, { page, serverId: "s1" }),
  "reporting an access code": (ctx) => reportAccessCode(ctx, { page, serverId: "s1" }),
  "revealing the email of a credential": (ctx) => revealToolCredential(ctx, { page, field: "email" }),
  "revealing the password of a credential": (ctx) => revealToolCredential(ctx, { page, field: "password" }),
};

async function deactivated() {
  const buyer = await addUser("user", { isActive: false });
  await addPass(buyer, pass);
  return buyer;
}

async function withPass(values: Parameters<typeof addPass>[1]) {
  const buyer = await addUser();
  await addPass(buyer, values);
  return buyer;
}

const actors: Record<string, { actor: () => Promise<Actor>; code: string }> = {
  "a visitor": { actor: async () => ({ kind: "visitor" }), code: "unauthenticated" },
  "another buyer, without a pass": { actor: () => addUser(), code: "access-required" },
  "a buyer with a pass that has ended": {
    actor: () => withPass({ ...pass, ...inactivePasses.expired }),
    code: "access-required",
  },
  "a deactivated buyer": { actor: deactivated, code: "user-disabled" },
  "a buyer with a pass of another tool": {
    actor: () => withPass({ toolId: chat.id, toolName: chat.name }),
    code: "access-required",
  },
};

const table = Object.entries(operations).flatMap(([operation, run]) =>
  Object.entries(actors).map(([who, { actor, code }]) => ({ operation, who, run, actor, code })),
);

test.each(table)("$operation is refused to $who, and nothing is written", async ({ run, actor, code }) => {
  await run(contextOf(await withPass(pass)));
  const refused = await actor();
  const before = [await db.$count(auditEvents), await db.$count(accessCodeReports)];
  await expect(run(contextOf(refused))).rejects.toMatchObject({ code });
  expect([await db.$count(auditEvents), await db.$count(accessCodeReports)]).toEqual(before);
});
