import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mailMessages, settings } from "#db/tables/operations.ts";
import { type SandboxShop, startSandboxShop } from "../../tools/testing/sandbox-shop.ts";
import { parseCatalogueFile } from "../catalog/catalogue-file.ts";
import { STORE_SETTINGS_KEY } from "../catalog/seed-catalogue.server.ts";
import { readAdminNotices } from "./read-admin-notices.server.ts";

let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

test("only an admin may read the notices", async () => {
  await expect(readAdminNotices(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(readAdminNotices(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});

test("the admin notices count queued mails while there is no mail server", async () => {
  const admin = await shop.user("admin");
  expect(await readAdminNotices(admin)).toMatchObject({ mailsWaiting: 0 });
  const mail = { recipient: "asha@example.com", kind: "password-reset", subject: "s", html: "h", text: "t" };
  await shop.db.insert(mailMessages).values([mail, mail, { ...mail, status: "sent" }]);
  expect(await readAdminNotices(admin)).toMatchObject({ mailsWaiting: 2 });
  const mailTransport = { send: () => Promise.resolve() };
  const withServer = { ...admin, ports: { ...admin.ports, mailTransport } };
  expect(await readAdminNotices(withServer)).toMatchObject({ mailsWaiting: 0 });
});

test("the admin notices tell the demo's support numbers from real ones", async () => {
  const admin = await shop.user("admin");
  expect(await readAdminNotices(admin)).toMatchObject({ demoSupportNumbers: false });
  const demo = new URL("../../db/seed/demo-catalogue.json", import.meta.url);
  const { store } = parseCatalogueFile(readFileSync(demo, "utf8"));
  await shop.db.insert(settings).values({ key: STORE_SETTINGS_KEY, value: store });
  expect(await readAdminNotices(admin)).toMatchObject({ demoSupportNumbers: true });
  const own = { ...admin, store: { ...admin.store, supportPhones: ["+919800000001"] } };
  expect(await readAdminNotices(own)).toMatchObject({ demoSupportNumbers: false });
});
