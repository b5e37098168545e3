import { RouterContextProvider } from "react-router";
import { afterAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { shopContext } from "../../request/request-context.ts";
import { loader as orderLoader } from "../orders/order-page.tsx";
import { action, loader } from "./account-page.tsx";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
afterAll(() => shop.close());

function argsOf(ctx: Context, path: string, fields?: Record<string, string>) {
  const url = new URL(path, ctx.store.origin);
  const body = fields && { method: "POST", body: new URLSearchParams(fields) };
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  return { request: new Request(url, body), url, context, params: {}, pattern: "/account" as const };
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const statusOf = (thrown: unknown) => (thrown instanceof Response ? thrown.status : undefined);

async function post(ctx: Context, fields: Record<string, string>) {
  const { data, init } = await action(argsOf(ctx, "/account", fields));
  return { status: init?.status ?? 200, ...data };
}

test("the account page and its forms redirect a visitor home", async () => {
  for (const work of [
    loader(argsOf(shop.visitor(), "/account")),
    action(argsOf(shop.visitor(), "/account", { intent: "name", name: "Asha" })),
  ]) {
    const thrown = await thrownBy(work);
    expect(statusOf(thrown)).toBe(302);
  }
});

test("the account page has the account, its browsers and the page of orders that the address names", async () => {
  const buyer = await shop.user();
  await shop.pass(buyer, { toolName: "Canva" });
  const { account, sessions, purchases } = await loader(argsOf(buyer, "/account?page=7"));
  expect(account).toMatchObject({ email: buyer.actor.email, hasPassword: false });
  expect(sessions).toEqual([]);
  expect(purchases).toMatchObject({ page: 1, total: 1, purchases: [{ toolName: "Canva" }] });
});

test("the result of a form of the account page names the form, and a refusal its field and status", async () => {
  const buyer = await shop.user();
  expect(await post(buyer, { intent: "name", name: "Asha" })).toEqual({
    status: 200,
    intent: "name",
    ok: true,
    message: "Your name has been saved.",
  });
  expect(await post(buyer, { intent: "name", name: " " })).toMatchObject({
    status: 422,
    intent: "name",
    ok: false,
    fields: { name: ["Please enter your name."] },
  });
  const passwords = { intent: "password", password: "wrong-kettle" };
  expect(await post(buyer, { ...passwords, newPassword: "five5" })).toMatchObject({
    status: 422,
    fields: { newPassword: ["Password should be at least 6 characters."] },
  });
  expect(await post(buyer, { ...passwords, newPassword: "the-kettle-is-off" })).toMatchObject({
    status: 401,
    fields: { password: ["Incorrect password. Please try again."] },
  });
  const id = "01980000-0000-7000-8000-000000000000";
  expect(await post(buyer, { intent: "end-session", sessionId: id })).toMatchObject({ status: 404 });
  expect(await post(buyer, { intent: "end-others" })).toMatchObject({
    message: "No other browser was signed in.",
  });
});

test("an unknown form of the account page is refused", async () => {
  const thrown = await thrownBy(action(argsOf(await shop.user(), "/account", { intent: "role" })));
  expect(statusOf(thrown)).toBe(400);
});

test("a receipt of somebody else and an unknown receipt are a 404", async () => {
  const buyer = await shop.user();
  await shop.pass(buyer, { toolName: "Canva" });
  const purchaseId = (await shop.purchasesOf(buyer))[0]?.id ?? "";
  const open = (ctx: Context, id: string) => {
    const args = { ...argsOf(ctx, `/account/orders/${id}`), pattern: "/account/orders/:purchaseId" as const };
    return orderLoader({ ...args, params: { purchaseId: id } });
  };
  expect((await open(buyer, purchaseId)).purchase).toMatchObject({ id: purchaseId, toolName: "Canva" });
  const stranger = await shop.user();
  for (const [ctx, id] of [
    [stranger, purchaseId],
    [buyer, "none"],
  ] as const)
    expect(await thrownBy(open(ctx, id))).toMatchObject({ init: { status: 404 } });
  expect(statusOf(await thrownBy(open(shop.visitor(), purchaseId)))).toBe(302);
});
