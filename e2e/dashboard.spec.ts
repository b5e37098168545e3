import { expect } from "@playwright/test";
import { test } from "./journey.ts";
import { becomeUser, buy, post } from "./people.ts";

test("signed out, the dashboard leads home and holds nothing", async ({ shop }) => {
  const answer = await shop.page.request.get("/dashboard", { maxRedirects: 0 });
  expect(answer.status()).toBe(302);
  expect(answer.headers().location).toBe("/");
  expect(await answer.text()).not.toContain("My Tools");
  await shop.page.goto("/dashboard");
  await expect(shop.page).toHaveURL(/\/$/);
  await expect(shop.cards).toHaveCount(12);
});

test("without passes it says what will be here", async ({ shop }) => {
  const { email } = await becomeUser(shop.page);
  await shop.open("/dashboard");
  await expect(shop.heading("No Tools Available")).toBeVisible();
  await expect(shop.page.getByText(email, { exact: true })).toBeVisible();
  await shop.page.getByRole("link", { name: "Purchase Tools" }).click();
  await expect(shop.page).toHaveURL(/\/$/);
  await expect(shop.cards).toHaveCount(12);
});

test("whoever has paid finds the way to a person", async ({ shop, page }) => {
  await becomeUser(page);
  await buy(page, "canva", "7 Days");
  for (const path of ["/dashboard", "/tools/canva", "/tools/quillbot"]) {
    await shop.open(path);
    const help = page.getByRole("link", { name: "Need help? Write to us" });
    await expect(help).toHaveAttribute("href", /^https:\/\/wa\.me\/\d+\?text=Hello/);
  }
});

test("every pass is there, and nobody else's", async ({ shop, newcomer }) => {
  const other = await newcomer();
  await becomeUser(other.page);
  await buy(other.page, "canva", "7 Days");
  await becomeUser(shop.page);
  await buy(shop.page, "quillbot", "90 Days");
  await buy(shop.page, "aihumanizer", "7 Days");
  await shop.open("/dashboard");
  await expect(shop.page.getByText("Active", { exact: true })).toHaveCount(2);
  await expect(shop.pass("QuillBot").getByText(/^90 days left$/)).toBeVisible();
  await expect(shop.pass("Canva")).toHaveCount(0);
  await shop.pass("AI Humanizer").getByRole("link", { name: "Open" }).click();
  await expect(shop.page).toHaveURL(/\/aihumanizer$/);
  for (const server of ["Write Human", "Stealth Writer", "Hix AI"]) {
    await expect(shop.server(server).getByRole("button", { name: "Click" })).toBeVisible();
  }
});

test("a session that ends elsewhere ends an open dashboard", async ({ shop }) => {
  await becomeUser(shop.page);
  await shop.open("/dashboard");
  expect((await post(shop.page, "/api/auth/sign-out", {})).ok()).toBe(true);
  // What a browser tells a page whose tab comes to the front again.
  await expect(async () => {
    await shop.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect(shop.cards).toHaveCount(12, { timeout: 2000 });
  }).toPass();
  await expect(shop.page).toHaveURL(/\/$/);
});
