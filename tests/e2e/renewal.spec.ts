import { expect, type Locator } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { setStock } from "./payment-records.ts";
import { expirePasses, query, readExpiry, readStock } from "./shop-database.ts";
import { shopDate } from "./shop-dates.ts";
import { openByEvent } from "./shop-page.ts";
import { readSuccessPanel } from "./success-panels.ts";
import { buyPass, post, signInAsNewUser } from "./test-users.ts";

test.use({ isTranslated: true });

const DAY_MS = 24 * 60 * 60_000;
test("a pass in its last days is renewed from its card, runs on after its end, and cannot be renewed twice", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  const end = await readExpiry(email);
  const [first, second] = [end, new Date(end.getTime() + 7 * DAY_MS)].map((date) => shopDate(date));
  const card = shop.pass("Canva");
  const { purchase } = shop;
  await test.step("Renew Access goes to the home page, where the renewal opens by itself", async () => {
    await shop.open("/dashboard");
    await expect(card.getByText("Active", { exact: true })).toBeVisible();
    await card.getByRole("link", { name: "Renew Access to Canva" }).click();
    await expect(page).toHaveURL(/\/$/);
    await expect(purchase.pay("₹49")).toBeVisible();
    await page.keyboard.press("Escape");
    await purchase.expectGone();
  });
  await test.step("a buyer who did not ask to renew reads that they have access, and may renew", async () => {
    await openByEvent(shop, "Canva");
    await expect(
      purchase.root.getByRole("heading", { name: "You already have access to this tool!" }),
    ).toBeVisible();
    await expect(purchase.pay("₹49")).toHaveCount(0);
    await expectAccessible(page, "owned, can be renewed");
    await purchase.root.getByRole("button", { name: "Renew now" }).click();
  });
  await test.step("it says from when to when the renewal runs, and is paid", async () => {
    await purchase.option("7 Days").check();
    await expect(purchase.root.getByText(new RegExp(`^Runs from ${first}, .* to ${second}, `))).toBeVisible();
    await expectAccessible(page, "renewal to pay");
    await purchase.openGateway("₹49");
    await purchase.gatewayButton("Pay").click();
    await purchase.expectSuccess();
    const { text = "" } = (await readSuccessPanel(page)) ?? {};
    expect(text).toMatch(new RegExp(`Runs from ${first}, .* to ${second}, `));
    expect(text).not.toMatch(/Active|ready/);
    await purchase.expectGone();
  });
  await test.step("the card and the tool page say until when the renewal runs, and a second one is refused", async () => {
    await shop.open("/dashboard");
    await expect(card).toHaveCount(1);
    await expect(card.getByText(`then until ${second}`)).toBeVisible();
    await expectAccessible(page, "a waiting renewal");
    await shop.open("/tools/canva");
    await expect(
      page.getByText(new RegExp(`^Ends ${first}, \\d\\d:\\d\\d · 7 days left, then until ${second}$`)),
    ).toBeVisible();
    await shop.open("/dashboard");
    await card.getByRole("link", { name: `Renew Access to Canva from ${first}` }).click();
    await expect(purchase.root.getByRole("heading", { name: `Renewed until ${second}.` })).toBeVisible();
    await expect(purchase.root.getByText("You already have access to this tool!")).toHaveCount(0);
    await expect(purchase.root.getByRole("button", { name: "Renew now" })).toHaveCount(0);
    const again = await post(page, "/checkout/start", { slug: "canva", option: "7 Days", renewal: true });
    expect(again.status()).toBe(409);
    expect(await again.text()).toContain("You have already renewed this pass.");
  });
  await test.step("after the end of the pass the renewal is the pass", async () => {
    await query(
      `update user_purchases set starts_at = starts_at - interval '8 days', expires_at = expires_at - interval '8 days'
       where user_email = $1 and not is_renewal`,
      [email],
    );
    await query(
      `update user_purchases set starts_at = starts_at - interval '8 days', expires_at = expires_at - interval '8 days'
       where user_email = $1 and is_renewal`,
      [email],
    );
    await shop.open("/tools/canva");
    await expect(shop.server("Server 1")).toBeVisible();
    await expect(page.getByText("then until")).toHaveCount(0);
    await shop.open("/dashboard");
    await expect(card).toHaveCount(1);
    await expect(card.getByText("then until")).toHaveCount(0);
    await expect(shop.heading("Past access")).toBeVisible();
  });
});

test("a renewal earlier than 7 days before the end is refused, and its button says from which day it is possible", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "quillbot", "30 Days");
  const from = shopDate(new Date((await readExpiry(email)).getTime() - 7 * DAY_MS));
  const input = { slug: "quillbot", option: "30 Days", renewal: true };
  const refused = await post(page, "/checkout/start", input);
  expect(refused.status()).toBe(409);
  expect(await refused.text()).toContain(`You can renew this pass from ${from}, 7 days before it ends.`);
  await shop.open("/dashboard");
  const card = shop.pass("QuillBot");
  await expectAccessible(page, "a pass that is renewed later");
  await card.getByRole("link", { name: `Renew Access to QuillBot from ${from}` }).click();
  await expect(
    shop.purchase.root.getByRole("heading", { name: `You can renew from ${from}.` }),
  ).toBeVisible();
  await expect(shop.purchase.root.getByText("You already have access to this tool!")).toHaveCount(0);
  await expect(shop.purchase.root.getByRole("button", { name: "Renew now" })).toHaveCount(0);

  // A lifetime pass is not renewed.
  await query("update user_purchases set expires_at = '2099-12-31' where user_email = $1", [email]);
  await shop.open("/dashboard");
  await expect(card.getByText("No end")).toBeVisible();
  await expect(card.getByRole("link", { name: "Open QuillBot" })).toBeVisible();
  await expect(card.getByText(/^Renew Access/)).toHaveCount(0);
});

test("Renew Access to a tool that is sold in the chat offers the chat, on the dashboard and on the page of the tool", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "quillbot", "7 Days");
  const setContactOnly = (contactOnly: boolean) =>
    query("update tools set contact_only = $1 where slug = 'quillbot'", [contactOnly]);
  const expectChat = async (place: Locator) => {
    const chat = place.getByRole("link", { name: "Contact via WhatsApp" });
    await expect(chat).toHaveAttribute("href", /^https:\/\/wa\.me\/910000000001\?text=.*QuillBot/);
  };
  await setContactOnly(true);
  try {
    await shop.open("/dashboard");
    await expectChat(shop.pass("QuillBot"));
    await expect(page.getByText(/^Renew Access/)).toHaveCount(0);
    await expectAccessible(page, "a pass of a tool that is sold in the chat");
    await expirePasses(email, new Date(Date.now() - DAY_MS));
    await shop.reload();
    await expectChat(page.getByRole("listitem").filter({ hasText: "Expired" }));
    await shop.open("/tools/quillbot");
    await page.getByRole("button", { name: "Renew Access to QuillBot" }).click();
    await expectChat(shop.purchase.root);
    await expectAccessible(page, "renewal in the chat");
  } finally {
    await setContactOnly(false);
  }
});

test("Renew Access to a tool that is sold out says so, and leads to the alert or to the reason", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "quillbot", "7 Days");
  await buyPass(page, "amazon-prime", "30 Days");
  await query(
    `update user_purchases set starts_at = starts_at - interval '40 days', expires_at = expires_at - interval '40 days'
     where user_email = $1 and tool_name = 'Amazon Prime'`,
    [email],
  );
  const stock = [await readStock("quillbot"), await readStock("amazon-prime")] as const;
  await setStock("quillbot", 0);
  await setStock("amazon-prime", 0);

  await test.step("of an expired pass: the home page says so, and one press asks to be told", async () => {
    await shop.open("/dashboard");
    await page.getByRole("link", { name: "Renew Access to Amazon Prime" }).click();
    await expect(page).toHaveURL(/\/$/);
    const notice = page.getByRole("status").filter({ hasText: "Amazon Prime is sold out right now." });
    await expect(notice).toBeInViewport();
    await expectAccessible(page, "renewal of a sold-out tool");
    await notice.getByRole("link", { name: "Tell me when it’s back" }).click();
    await expect(page).toHaveURL(/\/shop\/amazon-prime$/);
    await expect(page.getByText(/^You’re on the list\./)).toBeVisible();
    await expect(page.getByRole("button", { name: "Cancel alert" })).toBeVisible();
    // The way back has no notice any more.
    await page.goBack();
    await expect(shop.cards).toHaveCount(12);
    await expect(notice).toHaveCount(0);
  });
  await test.step("of a pass in its last days: the dialog says why it cannot be renewed", async () => {
    await shop.open("/dashboard");
    await shop.pass("QuillBot").getByRole("link", { name: "Renew Access to QuillBot" }).click();
    const reason = "QuillBot is sold out right now. You can renew when it’s back in stock.";
    await expect(shop.purchase.root.getByRole("heading", { name: reason })).toBeVisible();
    await expect(shop.purchase.root.getByText("You already have access to this tool!")).toHaveCount(0);
    await expect(shop.purchase.root.getByRole("button", { name: "Renew now" })).toHaveCount(0);
    await expectAccessible(page, "sold out, owned");
  });
  await test.step("a notice goes away when the tool is in stock again", async () => {
    await setStock("quillbot", stock[0]);
    await shop.open("/dashboard");
    await page.getByRole("link", { name: "Renew Access to Amazon Prime" }).click();
    const notice = page.getByText("Amazon Prime is sold out right now.");
    await expect(notice).toBeVisible();
    await setStock("amazon-prime", stock[1]);
    await query("select pg_notify('daypass_live', 'stock ' || pg_current_xact_id())", []);
    await expect(notice).toHaveCount(0);
  });
});

test("three active passes fit on the screen of a phone, soonest to end first, and what has ended is below", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { email } = await signInAsNewUser(page);
  for (const [slug, option] of [
    ["quillbot", "30 Days"],
    ["canva", "7 Days"],
    ["hix-ai-assistant", "30 Days"],
    ["amazon-prime", "30 Days"],
  ] as const)
    await buyPass(page, slug, option);
  await query(
    `update user_purchases set starts_at = starts_at - interval '40 days', expires_at = expires_at - interval '40 days'
     where user_email = $1 and tool_name = 'Amazon Prime'`,
    [email],
  );
  await shop.open("/dashboard");
  const tickets = page.getByRole("listitem").filter({ has: page.getByRole("heading", { level: 2 }) });
  await expect(tickets).toHaveCount(3);
  await expect(tickets.first()).toContainText("Canva");
  const last = await tickets.nth(2).boundingBox();
  expect((last?.y ?? Number.NaN) + (last?.height ?? Number.NaN)).toBeLessThanOrEqual(844);
  await expect(shop.heading("Past access")).toBeVisible();
  const ended = page
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: "Amazon Prime" }) });
  await expect(ended.getByText("Expired", { exact: true })).toBeVisible();
  await expect(ended.getByRole("link", { name: "Renew Access to Amazon Prime" })).toBeVisible();
  await expectAccessible(page, "three passes");
});
