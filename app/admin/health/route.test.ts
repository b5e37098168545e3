import { afterAll, beforeEach, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { routeArguments } from "#tests/fixtures/admin-route.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { summarise } from "./report.tsx";
import { action, loader } from "./route.tsx";

const asked: boolean[] = [];
const report = { checkedAt: new Date("2026-11-21T09:59:00Z"), lines: [] };
const shop = openTestShop(await freshDatabase(), {
  clock: { now: () => new Date("2026-11-21T10:00:00Z") },
  ports: {
    health: {
      latest: ({ again }) => {
        asked.push(again);
        return { report, isRunning: again, hasFailed: false };
      },
    },
  },
});
afterAll(() => shop.close());
beforeEach(() => {
  asked.length = 0;
});

const load = (ctx: Context) => loader(routeArguments(ctx, "/admin/health"));
const post = async (ctx: Context, intent: string) => {
  const { data, init } = await action(routeArguments(ctx, "/admin/health", { fields: { intent } }));
  return { status: init?.status ?? 200, ...data };
};

test("an admin sees the latest health report, and starts the checks again", async () => {
  const admin = await shop.user("admin");
  expect(await load(admin)).toMatchObject({ report, isRunning: false });
  expect(await post(admin, "check-again")).toMatchObject({ status: 200, ok: true });
  expect(asked).toEqual([false, true]);
  expect(await post(admin, "mend")).toMatchObject({ status: 400, code: "unknown-intent" });
});

test("a visitor and a buyer see no health report, start nothing, and are refused", async () => {
  const buyer = await shop.user();
  expect(await load(shop.visitor())).toBeNull();
  expect(await load(buyer)).toBeNull();
  expect(await post(shop.visitor(), "check-again")).toMatchObject({ status: 401, ok: false });
  expect(await post(buyer, "check-again")).toMatchObject({ status: 403, ok: false });
  expect(asked).toEqual([]);
});

test("the summary of the health report names failures before warnings, and counts them", () => {
  const line = { id: "node", name: "Node", detail: "" } as const;
  const [ok, skipped] = [{ ...line, state: "ok" } as const, { ...line, state: "skipped" } as const];
  const [warning, failed] = [{ ...line, state: "warning" } as const, { ...line, state: "failed" } as const];
  expect(summarise([ok, skipped])).toBe("Everything is fine");
  expect(summarise([ok, warning])).toBe("One thing needs attention");
  expect(summarise([warning, warning])).toBe("2 things need attention");
  expect(summarise([warning, failed])).toBe("One thing is broken");
  expect(summarise([failed, failed])).toBe("2 things are broken");
});
