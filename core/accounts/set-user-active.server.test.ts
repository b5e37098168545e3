import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { sessions, users } from "#db/tables/accounts.ts";
import { devices } from "#db/tables/devices.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { PASSWORD, signInOwner, signInPerson, signUpPerson } from "#tests/fixtures/people.ts";
import type { Context } from "../context.ts";
import { authenticateDevice, connectDevice, issueTicket } from "../devices/connect-device.server.ts";
import { setUserActive } from "./manage-users.server.ts";
import { resetPassword } from "./reset-password.server.ts";
import { signInWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop();
let admin: Context;
let adminId = "";

const signUp = (email: string) => signUpPerson(shop, { email });

const sessionsOf = (userId: string) => shop.db.$count(sessions, eq(sessions.userId, userId));
const isActive = async (userId: string) =>
  (await shop.db.select().from(users).where(eq(users.id, userId)))[0]?.isActive;
const auditsOf = (userId: string) =>
  shop.db
    .select({ action: auditEvents.action, actorId: auditEvents.actorId, details: auditEvents.details })
    .from(auditEvents)
    .where(eq(auditEvents.subjectId, userId))
    .orderBy(auditEvents.id);

beforeAll(async () => {
  ({ userId: adminId, ctx: admin } = await signInOwner(shop));
});

test("an admin who deactivates an account ends its sessions at once, refuses its sign-in, and audits the change once", async () => {
  const { browser, userId, email } = await signUp("asha@example.com");
  await signInPerson(shop, email);
  expect(await sessionsOf(userId)).toBe(2);
  const changes = await Promise.all(
    Array.from({ length: 4 }, () => setUserActive(admin, { userId, isActive: false })),
  );
  expect(changes.filter(({ changed }) => changed)).toHaveLength(1);
  expect(await isActive(userId)).toBe(false);
  expect(await sessionsOf(userId)).toBe(0);
  expect((await shop.as(browser)).actor).toEqual({ kind: "visitor" });
  await expect(signInWithEmail(shop.visitor(), { email, password: PASSWORD })).rejects.toMatchObject({
    code: "user-disabled",
  });
  expect((await auditsOf(userId)).slice(2, 3)).toEqual([
    {
      action: "user.deactivated",
      actorId: adminId,
      details: { before: { isActive: true }, after: { isActive: false }, sessionsEnded: 2 },
    },
  ]);
});

test("an admin can activate a deactivated account again; the person then signs in anew", async () => {
  const { userId, email, browser } = await signUp("bela@example.com");
  await setUserActive(admin, { userId, isActive: false });
  expect(await setUserActive(admin, { userId, isActive: true })).toEqual({ changed: true });
  expect(await setUserActive(admin, { userId, isActive: true })).toEqual({ changed: false });
  expect((await shop.as(browser)).actor).toEqual({ kind: "visitor" });
  await signInWithEmail(shop.visitor(), { email, password: PASSWORD });
  const actions = (await auditsOf(userId)).map(({ action }) => action);
  expect(actions).toEqual(["account.signed-up", "user.deactivated", "user.activated", "account.signed-in"]);
});

test("a deactivation ends devices and reset links for good: after the activation neither opens the account again", async () => {
  const { userId, email, ctx } = await signUp("devi@example.com");
  const connect = async () => {
    const input = { ticket: await issueTicket(ctx), name: "Chrome", version: "1.0.0" };
    return connectDevice(shop.visitor(), { ...input, installationId: randomUUID() });
  };
  const { token: device } = await connect();
  const ticket = await issueTicket(ctx);
  const links = [
    await shop.authenticator.makeResetToken(email),
    await shop.authenticator.makeResetToken(email),
  ];
  await setUserActive(admin, { userId, isActive: false });
  expect(await shop.db.select().from(devices).where(eq(devices.userId, userId))).toMatchObject([
    { releasedBy: "deactivation", releasedAt: expect.any(Date) },
  ]);
  // Made by a request that began before the deactivation.
  links.push(await shop.authenticator.makeResetToken(email));
  await setUserActive(admin, { userId, isActive: true });
  await expect(authenticateDevice(shop.visitor(), device)).rejects.toMatchObject({
    code: "device-not-connected",
  });
  const late = { ticket, installationId: randomUUID(), name: "Chrome", version: "1.0.0" };
  await expect(connectDevice(shop.visitor(), late)).rejects.toMatchObject({ code: "invalid-ticket" });
  for (const token of links) {
    const input = { token: token ?? "", newPassword: "kettle-off" };
    await expect(resetPassword(shop.visitor(), input)).rejects.toMatchObject({
      code: "invalid-reset-link",
    });
  }
  await signInWithEmail(shop.visitor(), { email, password: PASSWORD });
});

test("an admin cannot deactivate an admin, also not themself", async () => {
  const [other] = await shop.db
    .insert(users)
    .values({ email: "second-owner@example.com", role: "admin" })
    .returning();
  for (const userId of [adminId, other?.id ?? ""]) {
    await expect(setUserActive(admin, { userId, isActive: false })).rejects.toMatchObject({
      code: "forbidden",
    });
    expect(await isActive(userId)).toBe(true);
  }
});

test("only an admin activates or deactivates an account, and only one that exists", async () => {
  const { userId, browser } = await signUp("chitra@example.com");
  const input = { userId, isActive: false };
  await expect(setUserActive(await shop.as(browser), input)).rejects.toMatchObject({ code: "forbidden" });
  await expect(setUserActive(shop.visitor(), input)).rejects.toMatchObject({ code: "unauthenticated" });
  const unknown = { userId: "00000000-0000-7000-8000-000000000000", isActive: false };
  await expect(setUserActive(admin, unknown)).rejects.toMatchObject({ code: "not-found" });
  const wrong = { userId: "asha", isActive: false };
  await expect(setUserActive(admin, wrong)).rejects.toMatchObject({ code: "invalid-input" });
  expect(await isActive(userId)).toBe(true);
  await shop.db.update(users).set({ deletedAt: new Date() }).where(eq(users.id, userId));
  await expect(setUserActive(admin, input)).rejects.toMatchObject({ code: "not-found" });
});
