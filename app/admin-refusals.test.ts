import { eq } from "drizzle-orm";
import { RouterContextProvider } from "react-router";
import { afterAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { freshDatabase } from "../tests/database/database.ts";
import { openTestShop } from "../tests/fixtures/open-test-shop.ts";
import { shopContext } from "./request/request-context.ts";
import routes from "./routes.ts";

const shop = openTestShop(await freshDatabase(), { clock: { now: () => new Date("2026-11-21T10:05:00Z") } });
afterAll(() => shop.close());

type RouteEntry = (typeof routes)[number];
type Handler = (args: object) => Promise<unknown>;

interface AdminRoute {
  path: string;
  loader: Handler | undefined;
  action: Handler | undefined;
}

async function adminRoutes(): Promise<AdminRoute[]> {
  const found: AdminRoute[] = [];
  const visit = async (entries: readonly RouteEntry[], parent: string): Promise<void> => {
    for (const { path, file, children = [] } of entries) {
      const own = path === undefined ? parent : `${parent}/${path}`;
      if (own === "/admin" || own.startsWith("/admin/")) {
        const url = new URL(file, import.meta.url).href;
        const { loader, action } = (await import(/* @vite-ignore */ url)) as Partial<Record<string, Handler>>;
        found.push({ path: own, loader, action });
      }
      await visit(children, own);
    }
  };
  await visit(routes, "");
  return found;
}

/** Reads nothing and changes nothing of the shop: the sign-in page. */
const PUBLIC = ["/admin/login"];

test("every action and dialog of the admin area records that it refused somebody", async () => {
  const buyer = await shop.user();
  let address = 0;
  for (const { path, loader, action } of await adminRoutes()) {
    const requests: [string, Handler, RequestInit][] = [];
    if (action)
      requests.push(["POST", action, { method: "POST", body: new URLSearchParams({ intent: "x" }) }]);
    // Lists are tested below.
    if (loader && path.includes(":")) requests.push(["GET", loader, {}]);
    if (PUBLIC.includes(path)) continue;
    for (const person of [shop.visitor(), buyer]) {
      for (const [method, handler, init] of requests) {
        address += 1;
        const ipAddress = `198.51.100.${address}`;
        const ctx: Context = { ...person, browser: { headers: new Headers(), ipAddress } };
        const context = new RouterContextProvider();
        context.set(shopContext, ctx);
        const request = new Request(`${ctx.store.origin}/`, init);
        await handler({ request, context, params: { userId: "u", purchaseId: "p", mailId: "m", kind: "k" } });
        const rows = await shop.db
          .select()
          .from(auditEvents)
          .where(eq(auditEvents.action, "admin.request-refused"));
        const mine = rows.filter(({ details }) => details.ipAddress === ipAddress);
        expect(
          mine.map(({ details }) => details.count),
          `${method} ${path}`,
        ).toEqual([1]);
      }
    }
  }
  expect(address).toBeGreaterThan(20);
});

test("an admin list that is loaded without the frame records a buyer, and with the frame once", async () => {
  const buyer = await shop.user();
  const found = await adminRoutes();
  const frame = found.find(({ path, loader }) => path === "/admin" && loader)?.loader;
  const lists = found.filter(({ path }) => path !== "/admin/login" && /^\/admin(\/[a-z-]+)?$/.test(path));
  const count = () => shop.db.$count(auditEvents, eq(auditEvents.action, "admin.request-refused"));
  let address = 0;
  for (const { path, loader } of lists) {
    // The other two only take POST.
    if (!loader || loader === frame || ["/admin/catalogue", "/admin/restored-shop"].includes(path)) continue;
    for (const loaders of [[loader], [frame, loader]]) {
      address += 1;
      const browser = { headers: new Headers(), ipAddress: `192.0.2.${address}` };
      const context = new RouterContextProvider();
      context.set(shopContext, { ...buyer, browser });
      const before = await count();
      const request = new Request(`${buyer.store.origin}${path}`);
      await Promise.all(loaders.map((load) => load?.({ request, context, params: {} })));
      expect(await count(), path).toBe(before + 1);
      const rows = await shop.db.select().from(auditEvents);
      const mine = rows.filter(({ details }) => details.ipAddress === browser.ipAddress);
      expect(mine.map(({ details }) => details.count)).toEqual([1]);
    }
  }
  expect(address).toBe(22);
});

test("the frame of the admin area records a buyer who opens it, and no visitor, who may sign in there", async () => {
  const frame = (await adminRoutes()).find(({ path, loader }) => path === "/admin" && loader);
  const count = () => shop.db.$count(auditEvents, eq(auditEvents.action, "admin.request-refused"));
  const before = await count();
  for (const person of [shop.visitor(), await shop.user()]) {
    const context = new RouterContextProvider();
    const browser = { headers: new Headers(), ipAddress: "203.0.113.1" };
    context.set(shopContext, { ...person, browser });
    await frame?.loader?.({ request: new Request(`${person.store.origin}/admin`), context, params: {} });
  }
  expect(await count()).toBe(before + 1);
});
