import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { auditEvents } from "#db/tables/operations.ts";
import { openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { signUpPerson } from "#tests/fixtures/people.ts";
import { changeName, readMyAccount, readProfile } from "./profile.server.ts";

const shop = await openAccountsShop();

const signUp = () => signUpPerson(shop);

test("a name is stored without line breaks and double spaces, and the audit event does not name it", async () => {
  const { email, userId, ctx } = await signUp();
  expect(await changeName(ctx, { name: "  Asha\n  Rao " })).toEqual({ name: "Asha Rao" });
  expect(await readProfile(ctx)).toMatchObject({ displayName: "Asha Rao" });
  expect(await readMyAccount(ctx)).toMatchObject({
    email,
    displayName: "Asha Rao",
    provider: "email",
    hasPassword: true,
    hasGoogle: false,
    signupDate: expect.any(Date),
    lastLogin: expect.any(Date),
  });
  const events = await shop.db.select().from(auditEvents).where(eq(auditEvents.subjectId, userId));
  const renamed = events.find(({ action }) => action === "account.renamed");
  expect(renamed).toBeDefined();
  expect(JSON.stringify(renamed)).not.toContain("Asha");
});

test.each([
  ["direction marks", "\u202eAsha\u2066 Rao\u200f", "Asha Rao"],
  ["a space without width", "Asha\u200bRao\ufeff", "AshaRao"],
  ["no such characters, but one that joins letters", "\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"],
  ["no such characters, but an emoji of several parts", "👩‍💻", "👩‍💻"],
])("invisible characters are left out of a name with %s", async (_case, name, stored) => {
  const { ctx } = await signUp();
  expect(await changeName(ctx, { name })).toEqual({ name: stored });
});

test.each([
  ["of spaces only", "   ", "Please enter your name."],
  ["of invisible characters only", "\u200b\u200d \u202e", "Please enter your name."],
  ["that is missing", undefined, "Please enter your name."],
  ["of 101 letters", "a".repeat(101), "The name can be at most 100 characters."],
])("a name %s is refused with a message", async (_case, name, message) => {
  const { ctx } = await signUp();
  await expect(changeName(ctx, { name })).rejects.toMatchObject({
    code: "invalid-input",
    fields: { name: [message] },
  });
  expect(await readProfile(ctx)).toMatchObject({ displayName: "" });
});

test("the limit allows 20 of 25 changes of a name at once", async () => {
  const { ctx } = await signUp();
  const changes = await Promise.allSettled(
    Array.from({ length: 25 }, (_, n) => changeName(ctx, { name: `Asha ${n}` })),
  );
  const refusals = changes.flatMap((change) => (change.status === "rejected" ? [change.reason] : []));
  expect(refusals).toMatchObject(Array.from({ length: 5 }, () => ({ code: "changes-too-fast" })));
  await expect(changeName(ctx, { name: "Asha" })).rejects.toMatchObject({ code: "changes-too-fast" });
});

test("a name and an account are changed and read by the one who is signed in only", async () => {
  const { ctx } = await signUp();
  await changeName(ctx, { name: "Asha" });
  for (const other of [shop.visitor(), shop.system()]) {
    await expect(changeName(other, { name: "Bela" })).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(readMyAccount(other)).rejects.toMatchObject({ code: "unauthenticated" });
  }
  await changeName((await signUp()).ctx, { name: "Bela" });
  expect(await readProfile(ctx)).toMatchObject({ displayName: "Asha" });
});
