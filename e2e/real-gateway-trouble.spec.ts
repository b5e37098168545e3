import { expect } from "@playwright/test";
import { becomeUser } from "./people.ts";
import { choosePass, GatewayWindow, paymentsAt, test } from "./real-journey.ts";
import { purchasesOf, stockOf } from "./shop-database.ts";

const quillbot = { tool: "QuillBot", option: "7 Days", price: "₹39" };
const SCRIPT = "https://checkout.razorpay.com/v1/checkout.js";
const UNREACHABLE =
  "The payment service cannot be reached right now. You were not charged. Please try again.";
/** The shop gives up after ten seconds, whatever the gateway does. */
const GIVEN_UP_MS = 14_000;

test("the gateway's script is blocked: nothing is held, and trying again works", async ({
  shop,
  gateway,
  faults,
}) => {
  const before = await stockOf("quillbot");
  const { email } = await becomeUser(shop.page);
  await shop.page.route(SCRIPT, (route) => route.abort());
  await choosePass(shop, quillbot);
  await shop.purchase.pay(quillbot.price).click();
  await expect(shop.purchase.notice("The payment window did not open.")).toBeVisible();
  await expect(shop.purchase.notice("You were not charged. Please try again.")).toBeVisible();
  expect(await stockOf("quillbot")).toBe(before);
  expect(await purchasesOf(email)).toMatchObject([{ status: "failed", stock: "released" }]);

  await shop.page.unroute(SCRIPT);
  await shop.purchase.pay(quillbot.price).click();
  await new GatewayWindow(shop).pay();
  await expect(shop.purchase.success).toBeVisible();
  expect(await paymentsAt(gateway, email)).toMatchObject([{ status: "captured", amountPaise: 3900 }]);
  expect(await stockOf("quillbot")).toBe(before - 1);
  expect(faults.filter((fault) => !fault.includes("net::ERR_FAILED"))).toEqual([]);
  faults.length = 0;
});

for (const what of ["answers 503", "never answers"] as const) {
  test(`a gateway that ${what} costs patience and nothing else`, async ({ shop, gateway, faults }) => {
    const before = await stockOf("quillbot");
    const { email } = await becomeUser(shop.page);
    await choosePass(shop, quillbot);
    for (const match of ["create-order", "list-orders"] as const) {
      if (what === "never answers") gateway.faults.add({ match, what: "hang" });
      else gateway.faults.add({ match, what: "status", status: 503 });
    }
    await shop.purchase.pay(quillbot.price).click();
    await expect(shop.purchase.notice(UNREACHABLE)).toBeVisible({ timeout: GIVEN_UP_MS });
    await expect(shop.purchase.pay(quillbot.price)).toBeEnabled();
    expect(await stockOf("quillbot")).toBe(before);
    expect(await purchasesOf(email)).toMatchObject([{ status: "failed", stock: "released" }]);

    gateway.faults.clear();
    await shop.purchase.pay(quillbot.price).click();
    await new GatewayWindow(shop).untilAlive();
    expect(await purchasesOf(email)).toMatchObject([
      { status: "failed" },
      { status: "pending", stock: "held" },
    ]);
    expect(faults.filter((fault) => !fault.includes("503"))).toEqual([]);
    faults.length = 0;
  });
}

test("while the gateway takes its time, the button says what goes on", async ({ shop, gateway }) => {
  const { email } = await becomeUser(shop.page);
  await choosePass(shop, quillbot);
  gateway.faults.add({ match: "create-order", what: "gate", gate: "slow" });
  await shop.purchase.pay(quillbot.price).click();
  await gateway.faults.waitFor("create-order");
  const button = shop.purchase.root.getByRole("button", { name: "Opening checkout…" });
  await expect(button).toBeVisible();
  await expect(shop.purchase.notice("The payment window opens in a moment.")).toBeVisible();
  await button.click({ force: true });
  gateway.faults.release("slow");
  await new GatewayWindow(shop).pay();
  await expect(shop.purchase.success).toBeVisible();
  expect(await paymentsAt(gateway, email)).toHaveLength(1);
  expect(await purchasesOf(email)).toHaveLength(1);
});
