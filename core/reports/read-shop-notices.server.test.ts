import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mailMessages, settings } from "#db/tables/operations.ts";
import { startTestShop, type TestShop } from "../../tools/testing/shop.ts";
import { parseCatalogueFile } from "../catalog/catalogue-file.ts";
import { STORE_SETTINGS_KEY } from "../catalog/seed-catalogue.server.ts";
import { readShopNotices } from "./read-shop-notices.server.ts";

let shop: TestShop;
beforeAll(async () => {
  shop = await startTestShop();
});
afterAll(() => shop.close());

test("nobody but an admin reads them", async () => {
  await expect(readShopNotices(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(readShopNotices(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});

test("mails wait while there is no mail server, and only those not sent yet", async () => {
  const admin = await shop.user("admin");
  expect(await readShopNotices(admin)).toMatchObject({ mailsWaiting: 0 });
  const mail = { recipient: "asha@example.com", kind: "password-reset", subject: "s", html: "h", text: "t" };
  await shop.db.insert(mailMessages).values([mail, mail, { ...mail, status: "sent" }]);
  expect(await readShopNotices(admin)).toMatchObject({ mailsWaiting: 2 });
  const mailTransport = { send: () => Promise.resolve() };
  const withServer = { ...admin, ports: { ...admin.ports, mailTransport } };
  expect(await readShopNotices(withServer)).toMatchObject({ mailsWaiting: 0 });
});

test("the demo's support numbers are told from the owner's", async () => {
  const admin = await shop.user("admin");
  expect(await readShopNotices(admin)).toMatchObject({ demoSupportNumbers: false });
  const demo = new URL("../../db/seed/demo-catalogue.json", import.meta.url);
  const { store } = parseCatalogueFile(readFileSync(demo, "utf8"));
  await shop.db.insert(settings).values({ key: STORE_SETTINGS_KEY, value: store });
  expect(await readShopNotices(admin)).toMatchObject({ demoSupportNumbers: true });
  const own = { ...admin, store: { ...admin.store, supportPhones: ["+919800000001"] } };
  expect(await readShopNotices(own)).toMatchObject({ demoSupportNumbers: false });
});
