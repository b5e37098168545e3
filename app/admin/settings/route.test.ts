import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { auditEvents, settings } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { shopContext } from "../../request/request-context.ts";
import { action, loader } from "./route.tsx";

const shop = openTestShop(await freshDatabase(), { clock: { now: () => new Date("2026-11-21T10:00:00Z") } });
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
  await shop.tool({ slug: "canva", name: "Canva" });
  await shop.tool({ name: "Not on sale", isActive: false });
});
afterAll(() => shop.close());

function argumentsFor(ctx: Context, fields?: Record<string, string>) {
  const url = new URL("/admin/settings", ctx.store.origin);
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const request = new Request(url, fields && { method: "POST", body: new URLSearchParams(fields) });
  return { request, url, context, params: {}, pattern: "/admin/settings" } as const;
}

const readShown = async () => (await loader(argumentsFor(admin)))?.settings.shown ?? "";

async function save(ctx: Context, fields: Record<string, string>) {
  const { data, init } = await action(argumentsFor(ctx, { intent: "save", ...fields }));
  return { status: init?.status ?? 200, ...data };
}

test("the settings are loaded for an admin only", async () => {
  expect(await loader(argumentsFor(shop.visitor()))).toBeNull();
  expect(await loader(argumentsFor(await shop.user()))).toBeNull();
  expect(await loader(argumentsFor(admin))).toMatchObject({
    settings: { name: "Daypass", supportPhones: [], giveawayToolSlug: null },
    tools: [{ slug: "canva", name: "Canva" }],
  });
});

test("nobody but an admin saves settings", async () => {
  const fields = { name: "Mine", shown: await readShown() };
  expect(await save(shop.visitor(), fields)).toMatchObject({ status: 401, ok: false });
  expect(await save(await shop.user(), fields)).toMatchObject({ status: 403, ok: false });
  expect(await shop.db.$count(settings)).toBe(0);
  expect(await shop.db.$count(auditEvents)).toBe(0);
});

test("the settings are saved once; a second save from the same form is refused as changed meanwhile", async () => {
  const form = {
    name: "Asha's Shop",
    "claims.users": "200+",
    "supportPhones[0].number": "+919876543210",
    "supportPhones[0].label": "",
    "supportPhones[1].number": "",
    "dealsChannel.url": "https://t.example/deals",
    giveawayToolSlug: "canva",
    giveawayValidityDays: "2",
    "devices.perUser": "3",
    "devices.releasesPer30Days": "",
    "texts.terms": "One.",
    shown: await readShown(),
  };
  expect(await save(admin, form)).toMatchObject({ status: 200, ok: true, message: "Settings saved." });
  expect(await loader(argumentsFor(admin))).toMatchObject({
    settings: {
      name: "Asha's Shop",
      claims: { users: "200+" },
      giveawayToolSlug: "canva",
      giveawayValidityDays: 2,
      devices: { perUser: 3 },
      texts: { terms: "One." },
      supportPhones: [{ label: "Support chat 1", number: "+919876543210" }],
      dealsChannel: { label: "Deals channel", url: "https://t.example/deals" },
    },
  });
  const second = await save(admin, { ...form, name: "Other" });
  expect(second).toMatchObject({ status: 409, ok: false, code: "changed-meanwhile" });
  expect(await shop.db.$count(auditEvents)).toBe(1);
});

test("a mistake in the settings is shown under its field and nothing is saved", async () => {
  const before = await readShown();
  const wrong = { name: "X", "supportPhones[0].number": "98765", shown: before };
  expect(await save(admin, wrong)).toMatchObject({
    status: 422,
    fields: {
      "supportPhones.0.number": ["Enter the number with its country code, such as +91 98765 43210."],
    },
  });
  expect(await readShown()).toBe(before);
});
