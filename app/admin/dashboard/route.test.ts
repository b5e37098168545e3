import { eq } from "drizzle-orm";
import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureFirstAdmin } from "#core/accounts/set-up-admin.server.ts";
import { signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import type { Context } from "#core/context.ts";
import { readGoLiveChecklist } from "#core/reports/go-live-checklist.server.ts";
import { sessions } from "#db/tables/accounts.ts";
import { settings } from "#db/tables/operations.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { shopContext } from "../../request/request-context.ts";
import { loader as overviewLoader } from "../overview/route.tsx";
import { action, headers, loader } from "./route.tsx";

const password = "the-owners-own-words";
const ADMIN_EMAIL = "owner@example.com";
const buyer = { email: "asha@example.com", password: "kettle-on" };

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
  await ensureFirstAdmin(shop.system(), { password });
  await signUpWithEmail(withBrowser(shop.visitor()), buyer);
});
afterAll(() => shop.close());

const withBrowser = (ctx: Context): Context => ({
  ...ctx,
  browser: { headers: new Headers(), ipAddress: "203.0.113.7" },
});

function argumentsFor(ctx: Context, fields?: Record<string, string>) {
  const url = new URL("/admin", ctx.store.origin);
  const context = new RouterContextProvider();
  context.set(shopContext, withBrowser(ctx));
  const request = new Request(url, fields && { method: "POST", body: new URLSearchParams(fields) });
  return { request, url, context, params: {}, pattern: "/admin" } as const;
}

const load = async (ctx: Context) => {
  const { data, init } = await loader(argumentsFor(ctx));
  return { data, status: init?.status ?? 200 };
};

/** Posts the form. @returns the status and message, or the redirect with its number of cookies */
async function post(ctx: Context, fields: Record<string, string>) {
  const answer = await action(argumentsFor(ctx, fields));
  if (answer instanceof Response) {
    return {
      status: answer.status,
      location: answer.headers.get("location"),
      cookies: answer.headers.getSetCookie().length,
    };
  }
  return { status: answer.init?.status, ...answer.data };
}

const signIn = (ctx: Context, credentials: { email: string; password: string }) =>
  post(ctx, { intent: "sign-in", ...credentials });

const countSessions = () => shop.db.$count(sessions);
const countSettings = (key: string) => shop.db.$count(settings, eq(settings.key, key));

test("the admin page shows a visitor the sign-in form and nothing else", async () => {
  expect(await load(shop.visitor())).toEqual({ status: 200, data: { state: "sign-in" } });
});

test("the admin page refuses a signed-in buyer with the sign-in form and nothing else", async () => {
  expect(await load(await shop.user())).toEqual({ status: 403, data: { state: "sign-in" } });
});

test("the admin page shows the admin the statistics and how much needs attention", async () => {
  const { status, data } = await load(await shop.user("admin"));
  expect(status).toBe(200);
  expect(data).toMatchObject({
    state: "dashboard",
    view: {
      statistics: { totalPurchases: 0, totalRevenuePaise: 0, totalTools: 0 },
      attention: expect.any(Number),
    },
  });
});

test("the overview shows the admin whether payments are tests, live or not set up, and others nothing", async () => {
  const admin = await shop.user("admin");
  const { gateway } = admin.ports;
  if (gateway === null) throw new Error("the test shop has a gateway");
  const loadOverview = (ctx: Context) => overviewLoader({ ...argumentsFor(ctx), pattern: "/admin/overview" });
  const withGateway = (other: typeof gateway | null) =>
    loadOverview({ ...admin, ports: { ...admin.ports, gateway: other } });
  expect(await withGateway(gateway)).toMatchObject({ paymentMode: "test", overview: { toolsOnSale: 0 } });
  expect(await withGateway(null)).toMatchObject({ paymentMode: "not-set-up" });
  expect(await withGateway({ ...gateway, testMode: false })).toMatchObject({ paymentMode: "live" });
  for (const other of [shop.visitor(), await shop.user()]) expect(await loadOverview(other)).toBeNull();
});

test("the admin page sends an admin whose password the shop has made to change it, on a public origin", async () => {
  const admin = await shop.user("admin");
  const actor = { ...admin.actor, mustChangePassword: true };
  const answer: unknown = await loader(argumentsFor({ ...admin, actor })).catch((thrown: unknown) => thrown);
  if (!(answer instanceof Response)) throw new Error("there is no redirect");
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/account#password"]);
});

test("the admin page is stored by no cache and listed by no search engine", () => {
  const none = new Headers();
  const all = { loaderHeaders: none, parentHeaders: none, actionHeaders: none, errorHeaders: undefined };
  expect(headers(all)).toEqual({ "Cache-Control": "private, no-store", "X-Robots-Tag": "noindex" });
});

test("the form of the admin page signs the admin in with a cookie and returns to the page", async () => {
  const answer = await signIn(shop.visitor(), { email: ADMIN_EMAIL, password });
  expect(answer).toEqual({ status: 302, location: "/admin", cookies: 2 });
});

test.each([
  ["/admin/purchases?dialog=view&row=1", "/admin/purchases?dialog=view&row=1"],
  ["/admin?q=a%20b", "/admin?q=a%20b"],
  ["/adminx", "/admin"],
  ["//evil.example/admin", "/admin"],
  ["https://evil.example/admin/tools", "/admin"],
  ["/admin/../account", "/admin"],
  ["\\\\evil.example/admin", "/admin"],
  ["", "/admin"],
])("the form of the admin page returns to the page of the admin that it was shown for: %s", async (shown, location) => {
  const fields = { intent: "sign-in", email: ADMIN_EMAIL, password, shown };
  expect(await post(shop.visitor(), fields)).toMatchObject({ status: 302, location });
});

test.each([
  ["a wrong password", { email: ADMIN_EMAIL, password: "no" }, 401, "Invalid credentials"],
  ["an unknown address", { email: "nobody@example.com", password }, 401, "Invalid credentials"],
  ["an empty form", { email: "", password: "" }, 401, "Invalid credentials"],
  ["a buyer's wrong password", { ...buyer, password: "no" }, 401, "Invalid credentials"],
  ["a buyer's right password", buyer, 403, "Invalid admin credentials"],
])("the form of the admin page refuses %s", async (_what, credentials, status, message) => {
  const before = await countSessions();
  expect(await signIn(shop.visitor(), credentials)).toMatchObject({ status, ok: false, message });
  expect(await countSessions()).toBe(before);
});

test("the form of the admin page signs the admin out and returns to the page", async () => {
  const answer = await post(await shop.user("admin"), { intent: "sign-out" });
  expect(answer).toMatchObject({ status: 302, location: "/admin" });
});

test.each([
  { intent: "promote-me" },
  {},
])("the form of the admin page refuses an unknown intent as a bad request: %o", async (fields) => {
  expect(await post(await shop.user("admin"), fields)).toMatchObject({ status: 400, ok: false });
});

describe("a line of the checklist that the owner confirms", () => {
  const lines = [
    ["acknowledge-resale", "resale", "resale-acknowledged"],
    ["confirm-backup", "backup", "backup-confirmed"],
    ["confirm-claims", "claims", "claims-confirmed"],
    ["confirm-name", "name", "name-confirmed"],
    ["confirm-texts", "texts", "texts-confirmed"],
  ] as const;

  test.each(
    lines,
  )("a line of the checklist can only be confirmed by the admin: %s", async (intent, _line, key) => {
    expect(await post(shop.visitor(), { intent })).toMatchObject({ status: 401, ok: false });
    expect(await post(await shop.user(), { intent })).toMatchObject({ status: 403, ok: false });
    expect(await countSettings(key)).toBe(0);
  });

  test.each(
    lines,
  )("a line of the checklist goes away once it is confirmed: %s", async (intent, line, key) => {
    const admin = await shop.user("admin");
    const texts = { terms: "This is a demo shop.", refund: "r", privacy: "p", contact: "c" };
    const store = { name: "Daypass", claims: { users: "10K+" }, supportPhones: [], texts };
    await shop.db.insert(settings).values({ key: "store", value: store }).onConflictDoNothing();
    const readLines = async () => (await readGoLiveChecklist(admin)).map(({ id }) => id);
    expect(await readLines()).toContain(line);
    expect(await post(admin, { intent })).toEqual({ ok: true, message: "Confirmed.", value: null });
    expect(await readLines()).not.toContain(line);
    expect(await countSettings(key)).toBe(1);
  });
});
