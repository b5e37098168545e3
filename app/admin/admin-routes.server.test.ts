import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { DomainError, InvalidInputError } from "#core/errors.ts";
import { readDashboardStatistics } from "#core/reports/read-dashboard.server.ts";
import { type SandboxShop, startSandboxShop } from "#tests/fixtures/sandbox-shop.ts";
import { shopContext } from "../request/request-context.ts";
import { adminAction } from "./admin-routes.server.ts";

let shop: SandboxShop;
let received: unknown[] = [];
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

const action = adminAction({
  save: {
    run: async (_ctx, input) => {
      received.push(input);
      return { id: "7" };
    },
    done: "Saved.",
    failed: "Failed to save",
  },
  refuse: {
    run: () => Promise.reject(new InvalidInputError({ "options.0.label": ["Enter a label."] })),
    done: null,
    failed: "Failed to save",
  },
  ask: {
    run: () => Promise.reject(new DomainError("password-needed")),
    done: null,
    failed: "Failed to save",
  },
  break: { run: () => Promise.reject(new Error("secret detail")), done: null, failed: "Failed to save" },
});

async function post(ctx: Context, body: string) {
  received = [];
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const request = new Request(`${ctx.store.origin}/admin/tools`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body,
  });
  const { data, init } = await action({ request, context });
  return { status: init?.status ?? 200, ...data };
}

test("the action of an admin's page runs the operation that the form names, with nested values", async () => {
  const admin = await shop.user("admin");
  const body = "intent=save&name=A&options%5B0%5D.label=30+Days&options%5B1%5D.label=1+Year";
  expect(await post(admin, body)).toEqual({ status: 200, ok: true, message: "Saved.", value: { id: "7" } });
  expect(received).toEqual([{ name: "A", options: [{ label: "30 Days" }, { label: "1 Year" }] }]);
});

test("the statistics are read again after an action of an admin's page", async () => {
  const admin = await shop.user("admin");
  const { totalUsers } = await readDashboardStatistics(admin);
  await shop.user();
  await post(admin, "intent=refuse");
  expect(await readDashboardStatistics(admin)).toMatchObject({ totalUsers });
  await post(admin, "intent=save");
  expect(await readDashboardStatistics(admin)).toMatchObject({ totalUsers: totalUsers + 1 });
});

test("an admin page refuses a visitor and a buyer before it reads the form", async () => {
  expect(await post(shop.visitor(), "intent=save")).toMatchObject({ status: 401, ok: false });
  expect(await post(await shop.user(), "intent=save")).toMatchObject({ status: 403, ok: false });
  expect(received).toEqual([]);
});

test("an admin's page refuses an unknown intent, also when every object has a property of that name", async () => {
  const admin = await shop.user("admin");
  for (const body of ["", "intent=nothing", "intent=constructor", "intent%5B0%5D=save", "%7Bbroken"]) {
    expect(await post(admin, body)).toMatchObject({ status: 400, ok: false, code: "unknown-intent" });
  }
});

test("a form with a very high index of a list and a name that reaches a prototype changes nothing", async () => {
  const admin = await shop.user("admin");
  const body =
    "intent=save&a%5B4294967294%5D=1&a%5B2%5D=x&__proto__.polluted=1&constructor.prototype.polluted=1";
  expect(await post(admin, body)).toMatchObject({ ok: true });
  expect(JSON.stringify(received).length).toBeLessThan(200);
  expect("polluted" in {}).toBe(false);
});

test("a refusal of an admin's page names its fields and its code, and a fault shows the page's own message only", async () => {
  const admin = await shop.user("admin");
  expect(await post(admin, "intent=refuse")).toMatchObject({
    status: 422,
    ok: false,
    fields: { "options.0.label": ["Enter a label."] },
  });
  expect(await post(admin, "intent=ask")).toMatchObject({ status: 403, code: "password-needed" });
  const broken = await post(admin, "intent=break");
  expect(broken).toEqual({ status: 500, ok: false, code: "failed", message: "Failed to save" });
});
