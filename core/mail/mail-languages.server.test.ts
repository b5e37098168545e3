import { desc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { users } from "#db/tables/accounts.ts";
import { mailMessages } from "#db/tables/operations.ts";
import type { Language } from "#languages/languages.ts";
import { TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { openGoogleShop, person } from "#tests/fixtures/google-shop.ts";
import { PASSWORD, signInOwner, signInPerson, signUpPerson } from "#tests/fixtures/people.ts";
import { changePassword } from "../accounts/change-password.server.ts";
import { deleteMyAccount } from "../accounts/delete-account.server.ts";
import { changeLanguage } from "../accounts/profile.server.ts";
import { requestPasswordReset } from "../accounts/reset-password.server.ts";
import { queueMail, queueOwnerMail } from "./queue-mail.server.ts";

const shop = await openGoogleShop();

function browserIn(language: Language): TestBrowser {
  const browser = new TestBrowser();
  browser.language = language;
  return browser;
}

/** A new account, signed in in a browser whose pages are in this language. */
const signUp = (language: Language) => signUpPerson(shop, { browser: browserIn(language) });

async function lastMailTo(email: string) {
  const [mail] = await shop.db
    .select()
    .from(mailMessages)
    .where(eq(mailMessages.recipient, email))
    .orderBy(desc(mailMessages.createdAt))
    .limit(1);
  return mail;
}

/** The subject and the text of the mail that a visitor with another language asks for. */
async function resetMailOf(email: string) {
  await requestPasswordReset(shop.visitor(browserIn("en")), { email });
  return lastMailTo(email);
}

const languageOf = async (userId: string) =>
  (await shop.db.select().from(users).where(eq(users.id, userId)))[0]?.language;

const IN_HINDI = { subject: "नया पासवर्ड बनाएँ", html: expect.stringContaining('<html dir="ltr" lang="hi">') };
const IN_ENGLISH = {
  subject: "Set a new password",
  html: expect.stringContaining('<html dir="ltr" lang="en">'),
};

test.each<[Language, object]>([
  ["hi", IN_HINDI],
  ["en", IN_ENGLISH],
])("the mails of an account that was made with e-mail in '%s' are in that language, whoever causes them", async (language, mail) => {
  const { email } = await signUp(language);
  expect(await resetMailOf(email)).toMatchObject(mail);
});

test("the mails of an account that was made with Google in Hindi are in Hindi", async () => {
  const who = person();
  await shop.signIn(who, browserIn("hi"));
  expect(await resetMailOf(who.email)).toMatchObject(IN_HINDI);
});

test("the mails of an account are in the language of the last sign-in, with a password or with Google", async () => {
  const who = person();
  const browser = browserIn("hi");
  const { userId } = await signUpPerson(shop, { email: who.email, browser });
  await signInPerson(shop, who.email);
  expect(await resetMailOf(who.email)).toMatchObject(IN_ENGLISH);
  await shop.db.update(users).set({ emailVerified: true }).where(eq(users.id, userId));
  await shop.signIn(who, browserIn("hi"));
  // The mail about the sign-in itself has the language of the sign-in.
  expect(await lastMailTo(who.email)).toMatchObject({
    kind: "google-linked",
    subject: "अब आप Google से भी साइन इन कर सकते हैं",
  });
  expect(await resetMailOf(who.email)).toMatchObject(IN_HINDI);
});

test("the mails of an account that is taken over are in the language of the person who takes it over", async () => {
  const who = person();
  await signUpPerson(shop, { email: who.email });
  await shop.signIn(who, browserIn("hi"));
  expect(await lastMailTo(who.email)).toMatchObject({
    kind: "account-taken-over",
    subject: "अब आप Google से साइन इन करेंगे",
  });
});

test("the mails of an account are in the language that its person chooses later", async () => {
  const { email, userId, ctx } = await signUp("en");
  await changeLanguage(ctx, { language: "hi" });
  expect(await languageOf(userId)).toBe("hi");
  await changePassword(ctx, { password: PASSWORD, newPassword: "the-sea-is-calm" });
  expect(await lastMailTo(email)).toMatchObject({ subject: "आपका पासवर्ड बदल गया है" });
});

test("the last mail of a deleted account is in its language, and the kept row has the default", async () => {
  const { email, userId, ctx } = await signUp("hi");
  const input = { password: PASSWORD, confirmation: "delete", passes: 0, checkouts: 0 };
  const mailTransport = { send: () => Promise.reject(new Error("no mail is sent here")) };
  await deleteMyAccount({ ...ctx, ports: { ...ctx.ports, mailTransport } }, input);
  expect(await lastMailTo(email)).toMatchObject({ subject: "आपका अकाउंट हटा दिया गया है" });
  expect(await languageOf(userId)).toBe("en");
});

test("the mails of an admin are in English, also those of kinds that buyers get", async () => {
  const { userId, ctx } = await signInOwner(shop, { browser: browserIn("hi") });
  expect(await languageOf(userId)).toBe("hi");
  const { email } = ctx.actor.kind === "admin" ? ctx.actor : { email: "" };
  await queueOwnerMail(shop.system(), shop.db, {
    kind: "codes-used-up",
    facts: {
      toolName: "Canva",
      serverName: "Server 1",
      codesUrl: "https://shop.example/admin/access-codes",
    },
  });
  expect(await lastMailTo(email)).toMatchObject({
    subject: "No codes left for Canva, Server 1",
    text: expect.stringContaining("You can reach us at"),
  });
  expect(await resetMailOf(email)).toMatchObject(IN_ENGLISH);
});

test("a mail to an address without an account is in English", async () => {
  const facts = { email: "nobody@example.com" };
  await queueMail(shop.system(), shop.db, { to: facts.email, kind: "password-changed", facts });
  expect(await lastMailTo(facts.email)).toMatchObject({ subject: "Your password was changed" });
});

test("only a person who is signed in changes the language of the own account, to one that the shop has", async () => {
  const { userId, ctx } = await signUp("hi");
  for (const other of [shop.visitor(browserIn("en")), shop.system()])
    await expect(changeLanguage(other, { language: "en" })).rejects.toMatchObject({
      code: "unauthenticated",
    });
  for (const language of ["fr", "", undefined])
    await expect(changeLanguage(ctx, { language })).rejects.toMatchObject({ code: "invalid-input" });
  await changeLanguage((await signUp("hi")).ctx, { language: "en" });
  expect(await languageOf(userId)).toBe("hi");
});

test("an account that has the language already is not written", async () => {
  const { userId, ctx } = await signUp("hi");
  const rowOf = () => shop.db.select().from(users).where(eq(users.id, userId));
  const before = await rowOf();
  await changeLanguage(ctx, { language: "hi" });
  expect(await rowOf()).toEqual(before);
  await changeLanguage(ctx, { language: "en" });
  expect(await rowOf()).not.toEqual(before);
});
