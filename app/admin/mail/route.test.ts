import { afterAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { adminRequest } from "#tests/fixtures/admin-request.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { loader as loadExample } from "./example.ts";
import { loader as loadText } from "./mail-text.ts";
import { action, loader } from "./route.tsx";

const shop = openTestShop(await freshDatabase(), { clock: { now: () => new Date("2026-11-21T10:00:00Z") } });
afterAll(() => shop.close());
const admin = await shop.user("admin");
const user = await shop.user();

const values = { recipient: user.actor.email, kind: "payment-refunded", subject: "Refund started" };
const [mail] = await shop.db
  .insert(mailMessages)
  .values({ ...values, html: "<p>Hello</p>", text: "Hello", status: "failed", tries: 7 })
  .returning();
const mailId = mail?.id ?? "";

const list = (ctx: Context, search = {}) =>
  loader(adminRequest(ctx, { pattern: "/admin/mail", params: {}, search }));
const text = async (ctx: Context) =>
  (await loadText(adminRequest(ctx, { pattern: "/admin/mail/:mailId", params: { mailId } }))).data;
const example = async (ctx: Context) =>
  (
    await loadExample(
      adminRequest(ctx, {
        pattern: "/admin/mail/examples/:kind/:language",
        params: { kind: "giveaway-won", language: "hi" },
      }),
    )
  ).data;
const sendAgain = async (ctx: Context) =>
  (
    await action(
      adminRequest(ctx, { pattern: "/admin/mail", params: {}, fields: { intent: "send-again", mailId } }),
    )
  ).data;

test("an admin lists mail, reads it and sends it again", async () => {
  expect(await list(admin)).toMatchObject({
    hasMailServer: false,
    list: { total: 1, rows: [{ id: mailId }] },
  });
  expect(await list(admin, { status: "sent" })).toMatchObject({ list: { total: 0 } });
  expect(await text(admin)).toMatchObject({ ok: true, value: { kind: "text", html: "<p>Hello</p>" } });
  expect(await example(admin)).toMatchObject({ ok: true, value: { kind: "text" } });
  expect(await sendAgain(admin)).toMatchObject({ ok: true, message: "The email is back in the queue." });
  expect(await sendAgain(admin)).toMatchObject({
    ok: false,
    message: "This email can’t be sent again. Please reload the page.",
  });
});

test("the tab of mail gives nobody but an admin anything", async () => {
  for (const ctx of [shop.visitor(), user]) {
    expect(await list(ctx)).toBeNull();
    for (const request of [text, example, sendAgain]) {
      expect(await request(ctx)).toMatchObject({ ok: false });
      expect(JSON.stringify(await request(ctx))).not.toContain("Hello");
    }
  }
});
