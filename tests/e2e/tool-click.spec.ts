import { expect, type Route } from "@playwright/test";
import { test } from "./fixtures.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

test("a click while the code is being fetched keeps what the extension answered to the last one", async ({
  shop,
  page,
}) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await signInAsNewUser(page);
  await buyPass(page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  await page.evaluate(() => {
    window.addEventListener("message", ({ data }: MessageEvent<{ type?: string; requestId?: string }>) => {
      if (data.type !== "TRIGGER_EXTENSION_ACTION") return;
      const answer = { type: "EXTENSION_RESPONSE", blocked: false, message: "ChatGPT Pro is open." };
      window.postMessage({ ...answer, requestId: data.requestId }, window.location.origin);
    });
  });
  const row = shop.server("Server 1");
  const click = row.getByRole("button", { name: "Click" });
  const show = row.getByRole("button", { name: "Show code" });
  const answer = row.getByText("ChatGPT Pro is open.");
  await click.click();
  await expect(answer).toBeVisible();
  await expect(click).toBeVisible();

  const held: Route[] = [];
  await page.route("**/tools/chatgpt/code", (route) => void held.push(route));
  await show.click();
  await expect(show).toHaveAttribute("aria-busy", "true");
  await expect.poll(() => held.length).toBe(1);
  await click.click();
  await expect(answer).toBeVisible();
  expect(held).toHaveLength(1);
  await held[0]?.continue();
  await expect(row.getByLabel("The code for Server 1")).toBeVisible();
  await expect(answer).toBeVisible();
});
