import { asc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { auditEvents } from "#db/tables/operations.ts";
import { openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { signInOwner, signInPerson, signUpPerson } from "#tests/fixtures/people.ts";
import { signOut } from "./sessions.server.ts";

const shop = await openAccountsShop();
const ipAddress = "203.0.113.7";

const eventsOn = (subjectId: string) =>
  shop.db
    .select({ action: auditEvents.action, details: auditEvents.details })
    .from(auditEvents)
    .where(eq(auditEvents.subjectId, subjectId))
    .orderBy(asc(auditEvents.id));

test("a sign-up, a sign-in and a sign-out are recorded with their address", async () => {
  const { email, userId } = await signUpPerson(shop);
  const { ctx } = await signInPerson(shop, email);
  await signOut(ctx);
  // Nobody is signed in any more.
  await signOut(shop.visitor());
  expect(await eventsOn(userId)).toEqual([
    { action: "account.signed-up", details: { ipAddress } },
    { action: "account.signed-in", details: { method: "password", ipAddress } },
    { action: "account.signed-out", details: { ipAddress } },
  ]);
});

test("an admin's sign-in and sign-out have events of their own, also at the sign-in of buyers", async () => {
  const { userId, ctx } = await signInOwner(shop);
  await signOut(ctx);
  await signInPerson(shop, "owner@shop.example", "the-owners-own-words");
  const signedIn = { action: "admin.signed-in", details: { method: "password", ipAddress } };
  expect((await eventsOn(userId)).slice(1)).toEqual([
    signedIn,
    { action: "admin.signed-out", details: { ipAddress } },
    signedIn,
  ]);
});
