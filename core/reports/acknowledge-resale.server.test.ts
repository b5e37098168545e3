import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditEvents, settings } from "#db/tables/operations.ts";
import { type SandboxShop, startSandboxShop } from "../../tools/testing/sandbox-shop.ts";
import { acknowledgeResale, isResaleAcknowledged } from "./acknowledge-resale.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

const stored = () => shop.db.select().from(settings).where(eq(settings.key, "resale-acknowledged"));
const audited = () => shop.db.select().from(auditEvents).where(eq(auditEvents.action, "resale.acknowledged"));

test("only an admin may acknowledge the resale, or read whether it was acknowledged", async () => {
  const others = [shop.visitor(), await shop.user(), shop.system()];
  for (const ctx of others) {
    const code = ctx.actor.kind === "user" ? "forbidden" : "unauthenticated";
    await expect(acknowledgeResale(ctx)).rejects.toMatchObject({ code });
    await expect(isResaleAcknowledged(ctx)).rejects.toMatchObject({ code });
  }
  expect(await stored()).toEqual([]);
});

test("only the first acknowledgement of the resale is kept and audited", async () => {
  const admin = await shop.user("admin");
  expect(await isResaleAcknowledged(admin)).toBe(false);
  await Promise.all(Array.from({ length: 8 }, () => acknowledgeResale(admin)));
  expect(await isResaleAcknowledged(admin)).toBe(true);

  await acknowledgeResale(await shop.user("admin"));
  const value = { userId: admin.actor.userId, at: shop.clock.now().toISOString() };
  expect(await stored()).toMatchObject([{ value }]);
  expect(await audited()).toMatchObject([
    { actorKind: "admin", actorId: admin.actor.userId, subjectType: "store" },
  ]);
});
