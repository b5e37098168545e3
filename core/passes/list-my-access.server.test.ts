import { afterAll, beforeAll, expect, test } from "vitest";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { addDays } from "../time.ts";
import { listMyAccess } from "./access.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

test("a buyer sees the end of the active pass of each tool, and nothing of ended passes or of others", async () => {
  const buyer = await shop.user();
  const other = await shop.user();
  const now = shop.clock.now();
  const canva = await shop.tool({ name: "Canva" });
  const netflix = await shop.tool({ name: "Netflix" });
  const pass = { toolId: canva.id, toolName: "Canva" };
  await shop.pass(buyer, { ...pass, expiresAt: addDays(now, 9) });
  await shop.pass(buyer, { ...pass, expiresAt: addDays(now, 30), endedAt: now, endedReason: "refunded" });
  await shop.pass(buyer, {
    toolId: netflix.id,
    toolName: "Netflix",
    startsAt: addDays(now, -30),
    expiresAt: now,
  });
  await shop.pass(other, { toolId: netflix.id, toolName: "Netflix", expiresAt: addDays(now, 5) });
  expect(await listMyAccess(buyer)).toEqual(new Map([[canva.slug, addDays(now, 9)]]));
  expect(await listMyAccess(other)).toEqual(new Map([[netflix.slug, addDays(now, 5)]]));
});

test("a visitor has no access to list", async () => {
  await expect(listMyAccess(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
});
