import { randomUUID } from "node:crypto";
import type { Context } from "../../context.ts";
import { ensureFirstAdmin } from "../set-up-admin.server.ts";
import { signInAdmin, signInWithEmail, signUpWithEmail } from "../sign-in.server.ts";
import { ADMIN_EMAIL, TestBrowser } from "./accounts-shop.ts";

/** The password of everybody who signs up here. */
export const PASSWORD = "kettle-on";
const OWNERS_PASSWORD = "the-owners-own-words";

interface Shop {
  visitor: (browser: TestBrowser) => Context;
  as: (browser: TestBrowser) => Promise<Context>;
}

/** A new account, signed in in its browser; whoever was signed in there is the actor of the sign-up. */
export async function signUpPerson(
  shop: Shop,
  { email = `${randomUUID()}@example.com`, browser = new TestBrowser() } = {},
) {
  const { user, setCookies } = await signUpWithEmail(await shop.as(browser), { email, password: PASSWORD });
  browser.keep(setCookies);
  return { email, browser, userId: user.id, ctx: await shop.as(browser) };
}

/** Another browser that is signed in to an account. */
export async function signInPerson(shop: Shop, email: string, password = PASSWORD) {
  const browser = new TestBrowser();
  browser.keep((await signInWithEmail(shop.visitor(browser), { email, password })).setCookies);
  return { browser, ctx: await shop.as(browser) };
}

/** The first admin, signed in in a browser of their own unless one is given. */
export async function signInOwner(
  shop: Shop & { system: () => Context },
  { browser = new TestBrowser() } = {},
) {
  await ensureFirstAdmin(shop.system(), { password: OWNERS_PASSWORD });
  const input = { email: ADMIN_EMAIL, password: OWNERS_PASSWORD, form: "page" };
  const { user, setCookies } = await signInAdmin(await shop.as(browser), input);
  browser.keep(setCookies);
  return { userId: user.id, browser, ctx: await shop.as(browser) };
}
