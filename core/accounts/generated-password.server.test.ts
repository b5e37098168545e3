import { describe, expect, test } from "vitest";
import { ADMIN_EMAIL, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { requireAdminRequest } from "../audit/require-admin-request.server.ts";
import { requireAdmin, requireSignedIn } from "../authorise.ts";
import { createCredential } from "../credentials/manage-credentials.server.ts";
import { confirmSetup, readGoLiveChecklist } from "../reports/go-live-checklist.server.ts";
import { changePassword } from "./change-password.server.ts";
import { readMyAccount } from "./profile.server.ts";
import { resolveActor } from "./sessions.server.ts";
import { ensureFirstAdmin, resetAdminPassword } from "./set-up-admin.server.ts";
import { signInAdmin } from "./sign-in.server.ts";

const OWN = "the-owners-own-words";

/** A shop at this origin, whose admin has signed in with the generated password. */
async function openShop(origin: string) {
  const opened = await openAccountsShop({ connections: 3 });
  const at = (ctx: ReturnType<typeof opened.visitor>) => ({ ...ctx, store: { ...ctx.store, origin } });
  const signIn = async (password: string) => {
    const browser = new TestBrowser();
    const { setCookies } = await signInAdmin(at(opened.visitor(browser)), {
      email: ADMIN_EMAIL,
      password,
      form: "page",
    });
    browser.keep(setCookies);
    return browser;
  };
  const as = async (browser: TestBrowser) => {
    const visitor = at(opened.visitor(browser));
    return { ...visitor, actor: (await resolveActor(visitor)).actor };
  };
  return { ...opened, as, signIn };
}

const signInForm = { service: "QuillBot", email: "box@example.com", password: "SECRET", isActive: "on" };

describe.each(["https://shop.example", "http://192.0.2.4:3000"])("at %s", (origin) => {
  test("an admin replaces a generated password before doing anything else on a public origin", async () => {
    const shop = await openShop(origin);
    const { generatedPassword: password = "" } = await ensureFirstAdmin(shop.system());
    const browser = await shop.signIn(password);
    const refused = { code: "password-change-needed" };
    const read = () => shop.as(browser);
    const ctx = await read();
    for (const effect of ["reads", "low-risk", "own-account", "deletes"] as const)
      expect(() => requireAdmin(ctx, effect)).toThrow(expect.objectContaining(refused));
    for (const effect of ["reveals-secret", "changes-access", "low-risk"] as const)
      expect(() => requireSignedIn(ctx, effect)).toThrow(expect.objectContaining(refused));
    await expect(requireAdminRequest(ctx)).rejects.toMatchObject(refused);
    await expect(readGoLiveChecklist(ctx)).rejects.toMatchObject(refused);
    await expect(createCredential(ctx, signInForm)).rejects.toMatchObject(refused);
    expect(await readMyAccount(ctx)).toMatchObject({ email: ADMIN_EMAIL });
    await expect(changePassword(ctx, { password, newPassword: "Daypass-2026-1" })).rejects.toMatchObject({
      code: "guessable-password",
    });
    await changePassword(ctx, { password, newPassword: OWN });
    await confirmSetup(await read(), "resale");

    const reset = await resetAdminPassword(shop.system());
    const later = await shop.as(await shop.signIn(reset.password));
    expect(() => requireAdmin(later, "reads")).toThrow(expect.objectContaining(refused));
  });

  test("an admin need not replace a password that the owner has given", async () => {
    const shop = await openShop(origin);
    await ensureFirstAdmin(shop.system(), { password: OWN });
    await readGoLiveChecklist(await shop.as(await shop.signIn(OWN)));
  });
});

test.each([
  "http://localhost:3000",
  "http://127.0.0.1:3000",
  "http://[::1]:3000",
])("a generated password of a shop at %s is a line of the checklist", async (origin) => {
  const shop = await openShop(origin);
  const { generatedPassword = "" } = await ensureFirstAdmin(shop.system());
  const ctx = await shop.as(await shop.signIn(generatedPassword));
  expect((await readGoLiveChecklist(ctx)).map(({ id }) => id)).toContain("own-password");
});

test("a weak password of an admin locks nobody out, and the checklist warns until it is replaced", async () => {
  const shop = await openShop("https://shop.example");
  await ensureFirstAdmin(shop.system(), { password: OWN });
  const { passwordHash } = { passwordHash: await shop.authenticator.hashPassword("password2026") };
  const ids = async () => {
    const ctx = await shop.as(await shop.signIn("password2026"));
    return { ctx, ids: (await readGoLiveChecklist(ctx)).map(({ id }) => id) };
  };
  const first = await shop.as(await shop.signIn(OWN));
  await changePassword(first, { password: OWN, newPassword: `${OWN}-2` });
  requireSignedIn(first, "reads");
  const { userId } = first.actor;
  await shop.authenticator.setPassword(shop.db, { userId, passwordHash });
  const weak = await ids();
  expect(weak.ids).toContain("weak-password");
  await changePassword(weak.ctx, { password: "password2026", newPassword: OWN });
  expect((await readGoLiveChecklist(weak.ctx)).map(({ id }) => id)).not.toContain("weak-password");
});
