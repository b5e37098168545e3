import { expect } from "@playwright/test";
import { expectOnlyLostRequests } from "./fixtures.ts";
import { choosePass, GatewayWindow, listGatewayPayments, test } from "./razorpay-fixtures.ts";
import { listPurchases, readStock } from "./shop-database.ts";
import { signInAsNewUser } from "./test-users.ts";

const quillbot = { tool: "QuillBot", option: "7 Days", price: "₹39" };
const canva = { tool: "Canva", option: "7 Days", price: "₹49" };
const SCRIPT = "https://checkout.razorpay.com/v1/checkout.js";
const UNREACHABLE =
  "The payment service cannot be reached right now. You were not charged. Please try again.";
/** The shop ends its request to the gateway after ten seconds. */
const GATEWAY_TIMEOUT_MS = 14_000;

test("a gateway that cannot be reached or is slow is no lost money, and a retry works", async ({
  shop,
  page,
  gateway,
  browserErrors,
}) => {
  const { email } = await signInAsNewUser(page);
  await test.step("a blocked gateway script releases the hold, and a retry works", async () => {
    const before = await readStock("quillbot");
    await page.route(SCRIPT, (route) => route.abort());
    await choosePass(shop, quillbot);
    await shop.purchase.pay(quillbot.price).click();
    await expect(shop.purchase.notice("The payment window did not open.")).toBeVisible();
    await expect(shop.purchase.notice("You were not charged. Please try again.")).toBeVisible();
    expect(await readStock("quillbot")).toBe(before);
    expect(await listPurchases(email)).toMatchObject([{ status: "failed", stock: "released" }]);

    await page.unroute(SCRIPT);
    await shop.purchase.pay(quillbot.price).click();
    await new GatewayWindow(shop).pay();
    await shop.purchase.expectSuccess();
    expect(await listGatewayPayments(gateway, email)).toMatchObject([
      { status: "captured", amountPaise: 3900 },
    ]);
    expect(await readStock("quillbot")).toBe(before - 1);
    expectOnlyLostRequests(browserErrors);
    await shop.purchase.expectToolPage("quillbot");
  });
  await shop.open("/");
  await shop.openPurchase(canva.tool);
  await shop.purchase.option(canva.option).check();
  for (const what of ["answers 503", "never answers"] as const) {
    await test.step(`a gateway that ${what} leads to a refusal and a released hold, and a retry works`, async () => {
      const before = await readStock("canva");
      const rows = (await listPurchases(email)).length;
      for (const match of ["create-order", "list-orders"] as const) {
        if (what === "never answers") gateway.faults.add({ match, what: "hang" });
        else gateway.faults.add({ match, what: "status", status: 503 });
      }
      await shop.purchase.pay(canva.price).click();
      await expect(shop.purchase.notice(UNREACHABLE)).toBeVisible({ timeout: GATEWAY_TIMEOUT_MS });
      await expect(shop.purchase.pay(canva.price)).toBeEnabled();
      expect(await readStock("canva")).toBe(before);
      expect((await listPurchases(email)).slice(rows)).toMatchObject([
        { status: "failed", stock: "released" },
      ]);

      gateway.faults.clear();
      await shop.purchase.pay(canva.price).click();
      const window = new GatewayWindow(shop);
      await window.waitForHydration();
      expect((await listPurchases(email)).slice(rows)).toMatchObject([
        { status: "failed" },
        { status: "pending", stock: "held" },
      ]);
      expect(browserErrors.filter((error) => !error.includes("503"))).toEqual([]);
      browserErrors.length = 0;
      await window.button("Close").click();
      await expect(shop.purchase.notice("You closed the checkout.")).toBeVisible();
    });
  }
  await test.step("the button shows the progress while the gateway responds slowly", async () => {
    const rows = (await listPurchases(email)).length;
    const payments = (await listGatewayPayments(gateway, email)).length;
    gateway.faults.add({ match: "create-order", what: "gate", gate: "slow" });
    await shop.purchase.pay(canva.price).click();
    await gateway.faults.waitFor("create-order");
    const button = shop.purchase.root.getByRole("button", { name: "Opening checkout…" });
    await expect(button).toBeVisible();
    await expect(shop.purchase.notice("The payment window opens in a moment.")).toBeVisible();
    await button.click({ force: true });
    gateway.faults.release("slow");
    await new GatewayWindow(shop).pay();
    await shop.purchase.expectSuccess();
    expect(await listGatewayPayments(gateway, email)).toHaveLength(payments + 1);
    expect(await listPurchases(email)).toHaveLength(rows + 1);
  });
});
