import { eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessions, users, verifications } from "#db/tables/accounts.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { buyInLiveMode } from "#tests/fixtures/buy-in-live-mode.ts";
import { type FakeGatewayShop, startFakeGatewayShop } from "#tests/fixtures/fake-gateway-shop.ts";
import { startPaidCheckout } from "#tests/fixtures/open-test-shop.ts";
import { auditLedger } from "../reports/audit-ledger.server.ts";
import { HOUR } from "../time.ts";
import { deleteUser, describeUserDeletion } from "./delete-account.server.ts";

let shop: FakeGatewayShop;
beforeAll(async () => {
  shop = await startFakeGatewayShop(await freshDatabase());
});
afterAll(() => shop.close());

test("a deletion ends what was named before it, and the revenue stays", async () => {
  const { model, buyer, purchaseId, earned, hasPass } = await buyInLiveMode(shop);
  const { userId } = buyer;
  const email = `${userId}@example.com`;
  await startPaidCheckout(buyer.ctx, { slug: (await shop.tool()).slug });
  await shop.db.insert(sessions).values({ userId, token: uuidv7(), expiresAt: new Date() });
  await shop.db
    .insert(verifications)
    .values({ identifier: "reset-password:x", value: userId, expiresAt: new Date() });
  const mail = { kind: "payment-refunded", subject: "About you", html: "", text: "" };
  await shop.db.insert(mailMessages).values([
    { ...mail, recipient: email },
    { ...mail, recipient: "other@example.com" },
  ]);
  expect(await describeUserDeletion(model.admin, { userId })).toEqual({
    email,
    displayName: "",
    passes: 1,
    checkouts: 1,
    lastPassEndsAt: expect.any(Date),
  });
  const before = await earned();
  await Promise.all(Array.from({ length: 3 }, () => deleteUser(model.admin, { userId })));
  expect(await hasPass()).toBe(false);
  expect([before, await earned()]).toEqual([14_900, 14_900]);
  expect(await shop.db.$count(sessions, eq(sessions.userId, userId))).toBe(0);
  expect(await shop.db.$count(verifications, eq(verifications.value, userId))).toBe(0);
  const mails = await shop.db.select({ recipient: mailMessages.recipient }).from(mailMessages);
  expect(mails).toEqual([{ recipient: "other@example.com" }]);
  const [row] = await shop.db.select().from(userPurchases).where(eq(userPurchases.id, purchaseId));
  expect(row).toMatchObject({ endedReason: "user-deleted", userEmail: "deleted user", amountPaise: 14_900 });
  const audits = await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, userId));
  expect(audits).toMatchObject([
    { action: "user.deleted", details: { passesEnded: 1, checkoutsEnded: 1, after: null } },
  ]);
  expect(JSON.stringify(audits)).not.toContain(email);
  shop.clock.advance(HOUR);
  expect((await auditLedger(model.system)).counts).toEqual({});
  await expect(describeUserDeletion(model.admin, { userId })).rejects.toMatchObject({ code: "not-found" });
});

test("a deletion needs a password that was entered in the last 15 minutes", async () => {
  const user = await shop.user();
  const { userId } = user.actor;
  const passwordEnteredAt = new Date(shop.clock.now().getTime() - HOUR / 4 - 1);
  const { actor } = await shop.user("admin");
  const late = shop.contextFor({
    kind: "admin",
    userId: actor.userId,
    email: "",
    sessionId: "",
    passwordEnteredAt,
  });
  await expect(deleteUser(late, { userId })).rejects.toMatchObject({ code: "password-needed" });
  const [row] = await shop.db.select().from(users).where(eq(users.id, userId));
  expect(row).toMatchObject({ deletedAt: null, isActive: true });
});

test("what goes with an account is shown to admins only, and not for admins", async () => {
  const user = await shop.user();
  const admin = await shop.user("admin");
  const input = { userId: user.actor.userId };
  await expect(describeUserDeletion(user, input)).rejects.toMatchObject({ code: "forbidden" });
  await expect(describeUserDeletion(shop.visitor(), input)).rejects.toMatchObject({
    code: "unauthenticated",
  });
  const own = { userId: admin.actor.userId };
  await expect(describeUserDeletion(admin, own)).rejects.toMatchObject({ code: "forbidden" });
  await expect(describeUserDeletion(admin, { userId: "x" })).rejects.toMatchObject({ code: "invalid-input" });
});
