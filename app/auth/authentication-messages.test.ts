import { eq } from "drizzle-orm";
import { RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import { finishGoogleSignIn } from "#core/accounts/google-sign-in.server.ts";
import { signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import type { Context } from "#core/context.ts";
import { users } from "#db/tables/accounts.ts";
import { ORIGIN, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { openGoogleShop, person } from "#tests/fixtures/google-shop.ts";
import { shopContext } from "../request/request-context.ts";
import { explainFailure } from "./endpoints/form-response.server.ts";
import { action } from "./endpoints/forms.ts";
import { callServerAction, GOOGLE_FAILED } from "./forms/auth-form-result.ts";

// The whole catalogue of authentication messages. Each row causes its failure and reads what the form shows.
const shop = await openGoogleShop();
const password = "kettle-on";
await signUpWithEmail(shop.visitor(new TestBrowser()), { email: "asha@example.com", password });
const { user: disabled } = await signUpWithEmail(shop.visitor(new TestBrowser()), {
  email: "disabled@example.com",
  password,
});
await shop.db.update(users).set({ isActive: false }).where(eq(users.id, disabled.id));

/** A form without Google configured. */
const plain = () => shop.ctx({ kind: "visitor" }, new TestBrowser());

/** Posts a form of the dialog. @returns what it shows */
async function post(form: string, fields: Record<string, string>, ctx: Context = plain()) {
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const url = new URL(`/auth/${form}`, ORIGIN);
  const request = new Request(url, { method: "POST", body: new URLSearchParams(fields) });
  const { data } = await action({ request, url, pattern: `/auth/${form}`, params: {}, context });
  return "message" in data ? data.message : undefined;
}

/** What the window of Google shows when its answer is refused. */
async function google(browser: TestBrowser, answer: Promise<URL>, ctx = shop.visitor(browser)) {
  try {
    await finishGoogleSignIn(ctx, await answer);
  } catch (error) {
    const { result } = explainFailure(ctx, GOOGLE_FAILED, error);
    return result.ok ? undefined : result.message;
  }
  return undefined;
}

/** Changes what the provider has answered. */
async function answerWith(browser: TestBrowser, changes: Record<string, string>): Promise<URL> {
  const url = await shop.comeBack(person(), browser);
  for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, value);
  if (changes.error !== undefined) url.searchParams.delete("code");
  return url;
}

async function tooMany() {
  const ctx = plain();
  const fields = { email: "many@example.com", password };
  for (let n = 0; n < 10; n++) await post("sign-in", fields, ctx);
  return post("sign-in", fields, ctx);
}

async function withoutConnection() {
  const { data } = await callServerAction(() => Promise.reject(new TypeError("Failed to fetch")), "?");
  return data.ok ? undefined : data.message;
}

/** The database breaks while the form is handled. */
function broken(): Context {
  const ctx = plain();
  const rateLimiter = { ...ctx.ports.rateLimiter, consume: () => Promise.reject(new Error("broken")) };
  return { ...ctx, ports: { ...ctx.ports, rateLimiter } };
}

/** A form of a shop that can send mail. */
function withMailServer(): Context {
  const ctx = plain();
  return { ...ctx, ports: { ...ctx.ports, mailTransport: { send: async () => undefined } } };
}

const asha = { email: "asha@example.com", password };

test.each<[string, () => Promise<string | undefined>, string]>([
  [
    "an email that is in use",
    () => post("sign-up", asha),
    "This email is already in use. Try signing in instead.",
  ],
  [
    "an invalid email",
    () => post("sign-in", { ...asha, email: "asha" }),
    "Please enter a valid email address.",
  ],
  [
    "a disabled user",
    () => post("sign-in", { email: "disabled@example.com", password }),
    "This account has been disabled. Please contact support.",
  ],
  [
    "an unknown user",
    () => post("sign-in", { ...asha, email: "nobody@example.com" }),
    "No account found with this email. Please check your email or sign up.",
  ],
  [
    "an unknown user who wants a new password",
    () => post("reset", { email: "nobody@example.com" }),
    "No account found with this email. Please check your email or sign up.",
  ],
  [
    "a wrong password",
    () => post("sign-in", { ...asha, password: "not-that-one" }),
    "Incorrect password. Please try again.",
  ],
  [
    "a weak password",
    () => post("sign-up", { email: "new@example.com", password: "5char" }),
    "Password should be at least 6 characters.",
  ],
  [
    "a cancelled sign-in with Google",
    () => {
      const browser = new TestBrowser();
      return google(browser, shop.comeBack("cancel", browser));
    },
    "Sign-in cancelled. Please try again.",
  ],
  [
    "a method that is not enabled",
    () => google(new TestBrowser(), Promise.resolve(new URL(ORIGIN)), plain()),
    "This sign-in method is not enabled. Please contact support.",
  ],
  ["a lost connection", withoutConnection, "Network error. Please check your internet connection."],
  ["too many requests", tooMany, "Too many failed sign-in attempts. Please try again later."],
  [
    "a failure of the provider that gives a reason",
    () => {
      const browser = new TestBrowser();
      const reason = { error: "server_error", error_description: "The directory is down" };
      return google(browser, answerWith(browser, reason));
    },
    "The directory is down",
  ],
  [
    "any other failure of the provider",
    () => {
      const browser = new TestBrowser();
      return google(browser, answerWith(browser, { state: "another" }));
    },
    "An error occurred during authentication. Please try again.",
  ],
  [
    "a reset with an email without '@'",
    () => post("reset", { email: "asha" }),
    "Please enter a valid email address",
  ],
  [
    "a sent reset",
    () => post("reset", asha, withMailServer()),
    "Password reset email sent. Please check your inbox.",
  ],
  [
    "a reset in a shop without a mail server",
    () => post("reset", asha),
    "This shop can’t send email. Please contact support.",
  ],
  [
    "a fault of a sign-in",
    () => post("sign-in", asha, broken()),
    "Failed to sign in with email and password",
  ],
  [
    "a fault of a sign-up",
    () => post("sign-up", asha, broken()),
    "Failed to sign up with email and password",
  ],
  ["a fault of a reset", () => post("reset", asha, broken()), "Failed to send password reset email"],
])("%s shows its message", async (_cause, causeIt, message) => {
  expect(await causeIt()).toBe(message);
});
