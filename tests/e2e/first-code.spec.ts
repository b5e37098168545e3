import { expect, type Locator } from "@playwright/test";
import { test } from "./fixtures.ts";
import { newEmail, PASSWORD } from "./test-users.ts";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

/** Taps and fills as a buyer does, and records each tap and each field. */
function recordActions() {
  const taps: string[] = [];
  const fields: string[] = [];
  return {
    taps,
    fields,
    async tap(control: Locator): Promise<void> {
      await control.tap();
      taps.push(control.toString());
    },
    async fill(field: Locator, text: string): Promise<void> {
      await field.fill(text);
      fields.push(field.toString());
    },
  };
}

test("a new buyer on a phone has a code in at most 8 taps and 2 fields from the home page", async ({
  shop,
  page,
}) => {
  const { taps, fields, tap, fill } = recordActions();
  const { purchase, signIn } = shop;
  await shop.open("/");
  await tap(page.getByRole("button", { name: "Get access to Canva", exact: true }));
  await tap(signIn.button("Create an Account"));
  await fill(signIn.email, newEmail());
  await fill(signIn.password, PASSWORD);
  await tap(signIn.button("Create Account"));
  await tap(purchase.root.getByRole("button", { name: /^Pay ₹/ }));
  await tap(purchase.gatewayButton("Pay"));
  await purchase.expectSuccess();
  // The panel with Open closes by itself after two seconds; who misses it goes by the dashboard, which is one tap more.
  await purchase.expectGone();
  await tap(shop.accountNav.getByRole("link", { name: "Dashboard" }));
  await tap(shop.pass("Canva").getByRole("link", { name: "Open" }));
  const server = shop.server("Server 1");
  await tap(server.getByRole("button", { name: "Show code" }));
  const code = server.getByLabel("The code for Server 1");
  await expect(code).toHaveValue(/\S/);
  await expect(code).toBeInViewport({ ratio: 1 });
  expect(taps.length, taps.join("\n")).toBeLessThanOrEqual(8);
  expect(fields.length, fields.join("\n")).toBeLessThanOrEqual(2);
});
