import { randomUUID } from "node:crypto";
import { desc, eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { sessions, users, verifications } from "#db/tables/accounts.ts";
import { devices, deviceTickets } from "#db/tables/devices.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { ADMIN_EMAIL, ORIGIN, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { PASSWORD, signUpPerson } from "#tests/fixtures/people.ts";
import type { MailTransport } from "../mail/mail-templates.ts";
import { readResetLink, requestPasswordReset, resetPassword } from "./reset-password.server.ts";
import { ensureFirstAdmin } from "./set-up-admin.server.ts";
import { signInWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop({ perAddressFactor: 0 });
const password = PASSWORD;

const account = (email: string) => signUpPerson(shop, { email });

const mailsTo = (email: string) =>
  shop.db
    .select()
    .from(mailMessages)
    .where(eq(mailMessages.recipient, email))
    .orderBy(desc(mailMessages.createdAt));

async function linkTo(email: string): Promise<string> {
  await requestPasswordReset(shop.visitor(), { email });
  const [mail] = await mailsTo(email.trim().toLowerCase());
  return new RegExp(`${ORIGIN}/reset-password\\?token=(\\S+)`).exec(mail?.text ?? "")?.[1] ?? "";
}

beforeAll(async () => {
  await ensureFirstAdmin(shop.system(), { password: "the-owners-own-words" });
});

test("the mailed link sets a new password, ends every session and works once", async () => {
  const { userId } = await account("asha@example.com");
  const token = await linkTo(" Asha@Example.com ");
  expect(shop.triggeredJobs).toContain("send-mail");
  await resetPassword(shop.visitor(), { token, newPassword: "kettle-off" });
  expect(await shop.db.select().from(sessions).where(eq(sessions.userId, userId))).toEqual([]);
  const attempt = (tried: string) =>
    signInWithEmail(shop.visitor(), { email: "asha@example.com", password: tried });
  await expect(attempt(password)).rejects.toMatchObject({ code: "wrong-password" });
  await attempt("kettle-off");
  const again = resetPassword(shop.visitor(), { token, newPassword: "kettle-third" });
  await expect(again).rejects.toMatchObject({ code: "invalid-reset-link" });
});

test("a new password releases the devices of the account and ends its tickets, and no other account's", async () => {
  const { userId } = await account("devices@example.com");
  const { userId: otherId } = await account("other-devices@example.com");
  for (const owner of [userId, otherId]) {
    await shop.db.insert(devices).values({
      userId: owner,
      installationId: randomUUID(),
      name: "Chrome",
      extensionVersion: "1.0.0",
      tokenHash: randomUUID(),
      lastSeenAt: new Date(),
    });
    const expiresAt = new Date(Date.now() + 60_000);
    await shop.db.insert(deviceTickets).values({ ticketHash: randomUUID(), userId: owner, expiresAt });
  }
  const token = await linkTo("devices@example.com");
  await resetPassword(shop.visitor(), { token, newPassword: "kettle-off" });
  const released = await shop.db.select().from(devices).orderBy(devices.createdAt);
  expect(released.map((device) => [device.userId, device.releasedBy])).toEqual([
    [userId, "password-reset"],
    [otherId, null],
  ]);
  const tickets = await shop.db.select().from(deviceTickets);
  expect(tickets.map((ticket) => ticket.userId)).toEqual([otherId]);
});

test("no reset token is stored in plain text, neither in its table nor in the audit events", async () => {
  await account("secret@example.com");
  const token = await linkTo("secret@example.com");
  expect(token).not.toBe("");
  const kept = [await shop.db.select().from(verifications), await shop.db.select().from(auditEvents)];
  expect(kept[0]).not.toEqual([]);
  expect(JSON.stringify(kept)).not.toContain(token);
});

test("a mailed link confirms the address of the account; one that the owner passes on does not", async () => {
  const { userId } = await account("confirmed@example.com");
  const isVerified = async () =>
    (await shop.db.select().from(users).where(eq(users.id, userId)))[0]?.emailVerified;
  const reset = async (mailTransport: MailTransport | null) => {
    const token = await linkTo("confirmed@example.com");
    const ctx = shop.ctx({ kind: "visitor" }, new TestBrowser(), { mailTransport });
    await resetPassword(ctx, { token, newPassword: mailTransport === null ? "kettle-off" : "kettle-away" });
  };
  await reset(null);
  expect(await isVerified()).toBe(false);
  await reset({ send: async () => undefined });
  expect(await isVerified()).toBe(true);
});

test("using one reset link makes the other links of the account invalid", async () => {
  await account("two@example.com");
  const first = await linkTo("two@example.com");
  const second = await linkTo("two@example.com");
  await resetPassword(shop.visitor(), { token: second, newPassword: "kettle-off" });
  const lateReset = resetPassword(shop.visitor(), { token: first, newPassword: "kettle-third" });
  await expect(lateReset).rejects.toMatchObject({ code: "invalid-reset-link" });
});

test("a reset link is valid until it is used, and checking it does not use it", async () => {
  const { userId } = await account("look@example.com");
  const token = await linkTo("look@example.com");
  const isValid = async () => (await readResetLink(shop.visitor(), { token }))?.email === "look@example.com";
  expect([await isValid(), await isValid()]).toEqual([true, true]);
  await shop.db.update(users).set({ isActive: false }).where(eq(users.id, userId));
  expect(await isValid()).toBe(false);
  await shop.db.update(users).set({ isActive: true }).where(eq(users.id, userId));
  await resetPassword(shop.visitor(), { token, newPassword: "kettle-off" });
  expect(await isValid()).toBe(false);
});

test.each([
  {},
  { token: "" },
  { token: "made-up" },
  { token: "a\0b" },
  { token: "\ud800" },
  { token: ["made-up"] },
  { token: "x".repeat(10_000) },
])("a reset link with %j is invalid", async (input) => {
  expect(await readResetLink(shop.visitor(), input)).toBe(null);
});

test("exactly one of several parallel uses of a reset link sets the password", async () => {
  await account("race@example.com");
  const token = await linkTo("race@example.com");
  const uses = Array.from({ length: 6 }, (_, n) =>
    resetPassword(shop.visitor(), { token, newPassword: `kettle-${n}-on` }),
  );
  const results = await Promise.allSettled(uses);
  expect(results.filter((one) => one.status === "fulfilled")).toHaveLength(1);
});

test.each([
  "nobody@example.com",
  "odd@",
])("requesting a reset link for '%s', which has no account, is refused", async (email) => {
  const request = requestPasswordReset(shop.visitor(), { email });
  await expect(request).rejects.toMatchObject({ code: "user-not-found" });
  expect(await mailsTo(email)).toEqual([]);
});

test("requesting a reset link says whether a mail server delivers the mail", async () => {
  await account("waiting@example.com");
  const transport = { send: async () => undefined };
  const withServer = shop.ctx({ kind: "visitor" }, new TestBrowser(), { mailTransport: transport });
  const input = { email: "waiting@example.com" };
  expect(await requestPasswordReset(withServer, input)).toEqual({ delivered: true });
  expect(await requestPasswordReset(shop.visitor(), input)).toEqual({ delivered: false });
  expect(await mailsTo(input.email)).toHaveLength(2);
});

test.each([
  "",
  "   ",
  "asha",
  undefined,
])("requesting a reset link for '%s', an email without '@', is refused", async (email) => {
  await expect(requestPasswordReset(shop.visitor(), { email })).rejects.toMatchObject({
    fields: { email: ["Please enter a valid email address"] },
  });
});

test("requesting a reset link for a disabled account is refused and sends no mail", async () => {
  const { userId } = await account("off@example.com");
  await shop.db.update(users).set({ isActive: false }).where(eq(users.id, userId));
  const request = requestPasswordReset(shop.visitor(), { email: "off@example.com" });
  await expect(request).rejects.toMatchObject({ code: "user-disabled" });
  expect(await mailsTo("off@example.com")).toEqual([]);
});

test("an account gets at most three reset mails an hour, whoever asks", async () => {
  await account("often@example.com");
  const requests = await Promise.allSettled(
    Array.from({ length: 60 }, (_, n) =>
      requestPasswordReset(shop.visitor(new TestBrowser(`198.51.100.${n}`)), {
        email: "often@example.com",
      }),
    ),
  );
  for (const one of requests)
    if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "reset-rate-limited" });
  expect(await mailsTo("often@example.com")).toHaveLength(3);
});

test("requesting a reset link is refused without a browser", async () => {
  const request = requestPasswordReset(shop.system(), { email: "asha@example.com" });
  await expect(request).rejects.toMatchObject({ code: "forbidden" });
});

test.each([
  ["kettl", "weak-password"],
  ["password1", "common-password"],
  ["x".repeat(129), "invalid-input"],
  ["guessable-password@example.com", "guessable-password"],
  ["kettle-on", "same-password"],
])("the new password '%s' is refused, and the link stays valid", async (newPassword, code) => {
  await account(`${code}@example.com`);
  const token = await linkTo(`${code}@example.com`);
  await expect(resetPassword(shop.visitor(), { token, newPassword })).rejects.toMatchObject({ code });
  await resetPassword(shop.visitor(), { token, newPassword: "kettle-off" });
});

test("the links of an account wait after ten refused passwords, also when they were sent at once", async () => {
  await account("many-tries@example.com");
  const token = await linkTo("many-tries@example.com");
  const attempt = (newPassword: string) =>
    resetPassword(shop.visitor(), { token, newPassword }).catch(({ code }: { code: string }) => code);
  const outcomes: unknown[] = [];
  while (!outcomes.includes("reset-rate-limited"))
    outcomes.push(...(await Promise.all(Array.from({ length: 4 }, () => attempt(password)))));
  expect(outcomes.filter((code) => code === "same-password")).toHaveLength(10);
  expect(await attempt("kettle-off")).toBe("reset-rate-limited");
});

test("a new password of an admin is refused with fewer than twelve characters", async () => {
  const token = await linkTo(ADMIN_EMAIL);
  const short = resetPassword(shop.visitor(), { token, newPassword: "elevenchars" });
  await expect(short).rejects.toMatchObject({ code: "weak-password", details: { minimum: 12 } });
});

test.each(["", "made-up"])("a new password is refused with the token '%s'", async (token) => {
  const attempt = resetPassword(shop.visitor(), { token, newPassword: "kettle-off" });
  await expect(attempt).rejects.toMatchObject({ code: "invalid-reset-link" });
});

test("a new password is refused with an expired link", async () => {
  await account("slow@example.com");
  const token = await linkTo("slow@example.com");
  await shop.db
    .update(verifications)
    .set({ expiresAt: new Date(0) })
    .where(eq(verifications.expiresAt, verifications.expiresAt));
  expect(await readResetLink(shop.visitor(), { token })).toBe(null);
  const attempt = resetPassword(shop.visitor(), { token, newPassword: "kettle-off" });
  await expect(attempt).rejects.toMatchObject({ code: "invalid-reset-link" });
});

test("a new password is refused without a browser", async () => {
  const attempt = resetPassword(shop.system(), { token: "x", newPassword: "kettle-off" });
  await expect(attempt).rejects.toMatchObject({ code: "forbidden" });
});
