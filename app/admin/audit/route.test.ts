import { RouterContextProvider } from "react-router";
import { afterAll, expect, test } from "vitest";
import { recordAudit } from "#core/audit/record-audit.server.ts";
import type { Context } from "#core/context.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { shopContext } from "../../request/request-context.ts";
import { loader } from "./route.tsx";

const shop = openTestShop(await freshDatabase(), { clock: { now: () => new Date("2026-11-21T10:00:00Z") } });
afterAll(() => shop.close());

function load(ctx: Context, search = "") {
  const url = new URL(`/admin/audit${search}`, ctx.store.origin);
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  return loader({ request: new Request(url), url, context, params: {}, pattern: "/admin/audit" });
}

test("the audit log is loaded for an admin only, and searched by the address", async () => {
  const admin = await shop.user("admin");
  await recordAudit(admin, shop.db, { action: "coupon.created", subjectType: "coupon" });
  await recordAudit(shop.system(), shop.db, { action: "refund.requested", subjectType: "purchase" });
  expect(await load(shop.visitor())).toBeNull();
  expect(await load(await shop.user())).toBeNull();
  expect(await load(admin)).toMatchObject({ total: 2 });
  expect(await load(admin, "?q=coupon")).toMatchObject({ rows: [{ action: "coupon.created" }] });
  expect(await load(admin, "?actor=system")).toMatchObject({ rows: [{ action: "refund.requested" }] });
});
