import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { users, verifications } from "#db/tables/accounts.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { ORIGIN, openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { PASSWORD, signInOwner, signUpPerson } from "#tests/fixtures/people.ts";
import type { Context } from "../context.ts";
import type { MailTransport } from "../mail/mail-templates.ts";
import { setUserActive } from "./manage-users.server.ts";
import { createResetLink, resetPassword } from "./reset-password.server.ts";
import { signInWithEmail } from "./sign-in.server.ts";

const shop = await openAccountsShop({ perAddressFactor: 0 });
let admin: Context;
let adminId = "";
beforeAll(async () => {
  ({ userId: adminId, ctx: admin } = await signInOwner(shop));
});

const linksAreLeft = () => shop.db.$count(verifications);
const tokenOf = (resetUrl: string) => new URL(resetUrl).searchParams.get("token") ?? "";

test("an admin gets a link that sets a new password once, and the audit log says so without the link", async () => {
  const { userId, email } = await signUpPerson(shop);
  const { resetUrl, validMinutes } = await createResetLink(admin, { userId });
  expect(resetUrl).toMatch(new RegExp(`^${ORIGIN}/reset-password\\?token=.{20,}`));
  expect(validMinutes).toBe(60);
  const token = tokenOf(resetUrl);
  await resetPassword(shop.visitor(), { token, newPassword: "kettle-off" });
  await expect(signInWithEmail(shop.visitor(), { email, password: PASSWORD })).rejects.toMatchObject({
    code: "wrong-password",
  });
  await signInWithEmail(shop.visitor(), { email, password: "kettle-off" });
  const again = resetPassword(shop.visitor(), { token, newPassword: "kettle-third" });
  await expect(again).rejects.toMatchObject({ code: "invalid-reset-link" });
  const events = await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, userId));
  expect(events.find(({ action }) => action === "user.reset-link-created")?.actorId).toBe(adminId);
  expect(JSON.stringify(events)).not.toContain(token);
  const [user] = await shop.db.select().from(users).where(eq(users.id, userId));
  expect(user?.emailVerified, "the link proves nothing about the address").toBe(false);
});

test("a link is refused to anyone but an admin who has entered the password, and makes no token", async () => {
  const { userId, ctx: buyer } = await signUpPerson(shop);
  const { ctx: other } = await signUpPerson(shop);
  if (admin.actor.kind !== "admin") throw new Error("the owner is no admin");
  const late = { ...admin, actor: { ...admin.actor, passwordEnteredAt: null } };
  const before = await linksAreLeft();
  for (const [ctx, code] of [
    [shop.visitor(), "unauthenticated"],
    [buyer, "forbidden"],
    [other, "forbidden"],
    [late, "password-needed"],
  ] as const) {
    await expect(createResetLink(ctx, { userId })).rejects.toMatchObject({ code });
  }
  expect(await linksAreLeft()).toBe(before);
});

test("no link exists for an admin, a deactivated or unknown account, and none in a shop with a mail server", async () => {
  const { userId } = await signUpPerson(shop);
  const mailTransport: MailTransport = { send: () => Promise.reject(new Error("no mail is sent")) };
  const withMail = { ...admin, ports: { ...admin.ports, mailTransport } };
  const before = await linksAreLeft();
  await expect(createResetLink(withMail, { userId })).rejects.toMatchObject({ code: "forbidden" });
  await expect(createResetLink(admin, { userId: adminId })).rejects.toMatchObject({ code: "forbidden" });
  const unknown = "01a20680-544b-79ec-8206-91de6ef9111f";
  await expect(createResetLink(admin, { userId: unknown })).rejects.toMatchObject({ code: "not-found" });
  await expect(createResetLink(admin, { userId: "x" })).rejects.toMatchObject({ code: "invalid-input" });
  await setUserActive(admin, { userId, isActive: false });
  await expect(createResetLink(admin, { userId })).rejects.toMatchObject({ code: "user-disabled" });
  expect(await linksAreLeft()).toBe(before);
});
