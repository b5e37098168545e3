import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditEvents, settings } from "#db/tables/operations.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { confirmSetup } from "./go-live-checklist.server.ts";
import { CONFIRMATIONS, type Confirmation } from "./go-live-checklist.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

const stored = (of: Confirmation) =>
  shop.db.select().from(settings).where(eq(settings.key, CONFIRMATIONS[of].key));
const audited = (of: Confirmation) =>
  shop.db.select().from(auditEvents).where(eq(auditEvents.action, CONFIRMATIONS[of].action));

const ALL = ["resale", "backup", "claims"] as const;

test.each(ALL)("only an admin may confirm something about the shop: %s", async (confirmation) => {
  const others = [shop.visitor(), await shop.user(), shop.system()];
  for (const ctx of others) {
    const code = ctx.actor.kind === "user" ? "forbidden" : "unauthenticated";
    await expect(confirmSetup(ctx, confirmation)).rejects.toMatchObject({ code });
  }
  expect(await stored(confirmation)).toEqual([]);
  expect(await audited(confirmation)).toEqual([]);
});

test.each(
  ALL,
)("the first confirmation about the shop is kept and audited, and no later one: %s", async (confirmation) => {
  const admin = await shop.user("admin");
  await Promise.all(Array.from({ length: 8 }, () => confirmSetup(admin, confirmation)));

  await confirmSetup(await shop.user("admin"), confirmation);
  const value = { userId: admin.actor.userId, at: shop.clock.now().toISOString() };
  expect(await stored(confirmation)).toMatchObject([{ value }]);
  expect(await audited(confirmation)).toMatchObject([
    { actorKind: "admin", actorId: admin.actor.userId, subjectType: "store" },
  ]);
});
