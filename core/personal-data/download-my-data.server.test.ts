import { eq, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeEach, expect, test } from "vitest";
import { sessions, users } from "#db/tables/accounts.ts";
import { auditEvents, rateLimits } from "#db/tables/operations.ts";
import { unknownPayments } from "#db/tables/payments.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { insertPersonEverywhere, markColumns } from "#tests/fixtures/person-everywhere.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import { downloadMyData } from "./download-my-data.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
afterAll(() => shop.close());
beforeEach(async () => {
  await shop.db.delete(rateLimits);
});

async function download(ctx: Context, input = {}) {
  const parts: string[] = [];
  await downloadMyData(ctx, input, async (text) => void parts.push(text));
  return {
    text: parts.join(""),
    data: JSON.parse(parts.join("")),
    longest: Math.max(...parts.map((one) => one.length)),
  };
}

/** The person in a session that has just begun; the account has no password. */
async function signedIn(person: { userId: string; email: string }): Promise<Context> {
  const sessionId = uuidv7();
  await shop.db.insert(sessions).values({
    id: sessionId,
    userId: person.userId,
    token: uuidv7(),
    createdAt: shop.clock.now(),
    expiresAt: new Date(shop.clock.now().getTime() + 1e9),
  });
  return shop.contextFor({ kind: "user", ...person, sessionId });
}

/** What is stored about a person and is not in the file. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "sessions.token": "opens the account",
  "auth_accounts.access_token": "opens the account at the provider; it is never stored",
  "auth_accounts.refresh_token": "the same",
  "auth_accounts.id_token": "the same",
  "auth_accounts.scope": "the same",
  "auth_accounts.password": "a hash",
  "verifications.identifier": "a hash of a reset link",
  "gateway_events.payload": "the gateway's own record; the payment is in the file",
  "devices.token_hash": "a hash",
  "mail_messages.html": "the text is in the file",
  "mail_messages.last_error": "about the mail server",
};

test("the file of my data has every personal value that a deletion would remove, except those that are listed", async () => {
  const person = await insertPersonEverywhere(shop);
  const marked = await markColumns(shop.db, person);
  const { text, data } = await download(await signedIn(person));
  const missing = marked.filter((mark) => !text.includes(JSON.stringify(mark).slice(1, -1)));
  const leftOut = Object.keys(LEFT_OUT).map((name) => `marker-${name}`);
  expect(missing.sort()).toEqual(leftOut.sort());
  for (const json of [
    "marker-audit.name",
    "marker-audit.ipAddress",
    "marker-imported_documents.document",
    "marker-payment_attempts.payer",
    "marker-unknown_payments.payer",
  ])
    expect(text).toContain(json);
  for (const secret of [
    "sealed-simple-code",
    "sealed-session-code",
    "marker-sessions.token",
    "marker-auth_accounts.password",
  ])
    expect(text).not.toContain(secret);
  expect(data.profile).toMatchObject({ id: person.userId, email: person.email });
  expect(data.purchases).toMatchObject([
    {
      id: person.purchaseId,
      orderNumber: expect.stringMatching(/^[2-9A-Z]{8}$/),
      amount: { paise: 11_920, rupees: "₹119.20" },
      pass: { endedAt: null },
      payments: [{ method: "upi", refunds: [{ state: "requested", amount: { paise: 11_920 } }] }],
    },
  ]);
});

test("the file of my data has nothing of another person", async () => {
  const other = await insertPersonEverywhere(shop);
  const own = await insertPersonEverywhere(shop);
  const isOthers = eq(userPurchases.id, other.purchaseId);
  await shop.db.update(userPurchases).set({ cameFrom: "link-of-the-other" }).where(isOthers);
  const { text } = await download(await signedIn(own));
  expect(text).not.toContain("link-of-the-other");
  expect(text).not.toContain(other.userId);
  expect(text).not.toContain(other.email);
  expect(text).not.toContain(other.purchaseId);
});

test("a payment that a restore has lost is in the file of its payer's address only when the address is verified", async () => {
  const person = await shop.user();
  const { userId, email } = person.actor;
  await shop.db.insert(unknownPayments).values({
    gateway: "razorpay",
    testMode: false,
    gatewayPaymentId: `pay_${uuidv7()}`,
    gatewayOrderId: `order_${uuidv7()}`,
    receipt: uuidv7(),
    amountPaise: 14_900,
    currency: "INR",
    paidAt: shop.clock.now(),
    email: email.toUpperCase(),
    phone: "+919900000001",
  });
  const ctx = await signedIn(person.actor);
  expect((await download(ctx)).data.paymentsFoundAfterRestore).toEqual([]);
  await shop.db.update(users).set({ emailVerified: true }).where(eq(users.id, userId));
  expect((await download(ctx)).data.paymentsFoundAfterRestore).toMatchObject([{ phone: "+919900000001" }]);
});

test("10,000 purchases are written in small parts, each once", async () => {
  const person = await shop.user();
  const { userId, email } = person.actor;
  await shop.db.execute(sql`
    insert into user_purchases (id, user_id, user_email, tool_name, validity, list_price_paise, amount, status, source)
    select gen_random_uuid(), ${userId}, ${email}, 'Tool ' || n, 30, 100, 100, 'failed', 'checkout'
    from generate_series(1, 10000) as n`);
  const { data, longest } = await download(await signedIn({ userId, email }));
  expect(new Set(data.purchases.map(({ tool }: { tool: string }) => tool)).size).toBe(10_000);
  expect(data.purchases).toHaveLength(10_000);
  expect(longest).toBeLessThan(500_000);
});

test("a sink that fails ends the reading", async () => {
  const person = await shop.user();
  const ctx = await signedIn(person.actor);
  const failing = downloadMyData(ctx, {}, () => Promise.reject(new Error("the person has left")));
  await expect(failing).rejects.toThrow("the person has left");
  await download(ctx);
});

test("a visitor, the system, and a session without a recent sign-in get nothing; five downloads an hour, and each is audited", async () => {
  const person = await shop.user();
  const { userId } = person.actor;
  for (const ctx of [shop.visitor(), shop.system()])
    await expect(download(ctx)).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(download(person)).rejects.toMatchObject({ code: "unauthenticated" });
  const ctx = await signedIn(person.actor);
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, () => download(ctx, { userId: uuidv7() })),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  for (const result of results)
    if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "downloads-too-fast" });
  const isDownload = sql`action = 'account.data-downloaded' and subject_id = ${userId}`;
  expect(await shop.db.$count(auditEvents, isDownload)).toBe(5);
  shop.clock.advance(16 * 60_000);
  await expect(download(ctx)).rejects.toMatchObject({ code: "google-sign-in-needed" });
});
