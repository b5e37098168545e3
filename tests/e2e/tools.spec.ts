import { expect, type Page, type Route } from "@playwright/test";
import { z } from "zod";
import { expectAccessible } from "./accessibility.ts";
import { catalogue, listCodes } from "./demo-catalogue.ts";
import { test } from "./fixtures.ts";
import { setCodeActive, setStepsOfUse } from "./shop-database.ts";
import type { ShopPage } from "./shop-page.ts";
import { buyPass, postForm, signInAsNewUser } from "./test-users.ts";

const written = z.array(z.object({ text: z.string(), at: z.number() }));

/** Records what is written to the clipboard. */
async function recordClipboard(shop: ShopPage): Promise<() => Promise<z.infer<typeof written>>> {
  await shop.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await shop.page.addInitScript(() => {
    const log: Array<{ text: string; at: number }> = [];
    Object.assign(window, { clipboardLog: log });
    const { clipboard } = navigator;
    const write = clipboard.write.bind(clipboard);
    const writeText = clipboard.writeText.bind(clipboard);
    clipboard.write = async (items) => {
      await write(items);
      const blob = await items[0]?.getType("text/plain");
      log.push({ text: (await blob?.text()) ?? "", at: Date.now() });
    };
    clipboard.writeText = async (text) => {
      await writeText(text);
      log.push({ text, at: Date.now() });
    };
  });
  return async () => written.parse(await shop.page.evaluate(() => Reflect.get(window, "clipboardLog")));
}

/** Stands in for the browser extension: answers every trigger of the page with these messages, in order. */
async function installFakeExtension(page: Page, answers: readonly { blocked: boolean; message?: string }[]) {
  await page.evaluate((given) => {
    const left = [...given];
    const triggers: unknown[] = [];
    Object.assign(window, { triggers });
    window.addEventListener("message", ({ data }: MessageEvent<{ type?: string; requestId?: string }>) => {
      if (data.type !== "TRIGGER_EXTENSION_ACTION") return;
      triggers.push(data);
      const { requestId } = data;
      window.postMessage({ type: "EXTENSION_RESPONSE", ...left.shift(), requestId }, window.location.origin);
    });
  }, answers);
}

test("a tool page reveals nothing without a pass and sells one, and a free tool needs none", async ({
  shop,
  page,
  browserErrors,
}) => {
  await signInAsNewUser(page);
  await test.step("without a pass a tool page requires access and reveals nothing", async () => {
    const response = await page.goto("/tools/canva");
    expect(response?.status()).toBe(403);
    await shop.waitForHydration();
    await expect(shop.heading("Access Required")).toBeVisible();
    await expect(page.getByText("Server 1")).toHaveCount(0);

    const code = await postForm(page, "/tools/canva/code", { serverId: "canva-server-1" });
    expect(code.status()).toBe(403);
    const data = await page.request.get("/tools/canva.data");
    const responseText = `${await code.text()} ${await data.text()} ${await response?.text()}`;
    expect(responseText).not.toContain("canva-server");
    for (const { simpleCode } of listCodes("canva")) expect(responseText).not.toContain(simpleCode);
    expect((await postForm(page, "/tools/chatgpt/code", { serverId: "chatgpt-server-1" })).status()).toBe(
      403,
    );

    await page.getByRole("button", { name: "Go to Homepage" }).click();
    await expect(shop.cards).toHaveCount(12);
  });
  await test.step("a free tool opens after sign-in without a purchase", async () => {
    await page.getByRole("button", { name: "Open free Grammar Checker" }).click();
    await expect(shop.heading("Grammar Checker")).toBeVisible();
    await expect(shop.server("Server 1").getByRole("button", { name: "Click" })).toBeEnabled();
    await expect(page.getByText("Active", { exact: true })).toHaveCount(0);
  });
  await test.step("the page that requires access sells a pass and then shows the tool", async () => {
    await shop.open("/tools/canva");
    await expect(shop.heading("Access Required")).toBeVisible();
    await page.getByRole("button", { name: "Get access to Canva" }).click();
    await shop.purchase.openGateway("₹49");
    await shop.purchase.gatewayButton("Pay").click();
    await shop.purchase.expectSuccess();
    await expect(shop.server("Server 1")).toBeVisible();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page).toHaveURL(/\/tools\/canva$/);
    // The first response of the page was a 403, which the browser reports.
    expect(browserErrors.filter((error) => !error.includes("403"))).toEqual([]);
    browserErrors.length = 0;
  });
  await test.step("the steps say what to do with the extension as soon as it answers, and nothing moves", async () => {
    const before = await setStepsOfUse("canva", []);
    try {
      await shop.open("/tools/canva");
      const list = page.getByRole("list", { name: "How to use Canva" });
      const tops = () =>
        page
          .locator("main li, main p")
          .evaluateAll((elements) => elements.map((item) => item.getBoundingClientRect().top));
      await expect(list).toContainText("Press Show code", { useInnerText: true });
      await expect(list).not.toContainText("Press Click", { useInnerText: true });
      const topsBefore = await tops();
      await page.evaluate(() => {
        const presence = { type: "DAYPASS_EXTENSION_PRESENT", version: "1.0.0" };
        window.postMessage(presence, window.location.origin);
      });
      await expect(list).toContainText("Press Click", { useInnerText: true });
      await expect(list).not.toContainText("copy the code", { useInnerText: true });
      expect(await tops()).toEqual(topsBefore);
    } finally {
      await setStepsOfUse("canva", before);
    }
  });
});

test("ChatGPT Pro shows three servers, whose codes are copied for a moment, or shown where that is impossible", async ({
  shop,
  page,
}) => {
  const clipboard = await recordClipboard(shop);
  await signInAsNewUser(page);
  await buyPass(page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  await test.step("ChatGPT Pro shows three servers, and each copies its own code for a moment", async () => {
    await expect(shop.heading("ChatGPT Pro")).toBeVisible();
    await expect(page.getByText("Active", { exact: true })).toBeVisible();
    await expect(page.getByText(/^Ends \d\d\/\d\d\/\d\d, \d\d:\d\d · 7 days left$/)).toBeVisible();
    await expect(page.getByRole("list", { name: "Servers" }).getByRole("listitem")).toHaveCount(3);

    for (const [index, { serverName, simpleCode }] of listCodes("chatgpt").entries()) {
      const row = shop.server(serverName);
      await row.getByRole("button", { name: "Click" }).click();
      await expect(row.getByRole("button", { name: "Copied!" })).toBeVisible();
      await expect.poll(async () => (await clipboard()).length).toBe(2 * (index + 1));
      const [code, neutral] = (await clipboard()).slice(-2);
      expect(code?.text).toBe(simpleCode);
      expect(neutral?.text).toBe("daypass");
      expect((neutral?.at ?? 0) - (code?.at ?? 0)).toBeGreaterThanOrEqual(95);
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("daypass");
    }
  });
  await test.step("'Copied!' stays for two seconds, and a server without a code shows a message", async () => {
    const row = shop.server("Server 1");
    await row.getByRole("button", { name: "Click" }).click();
    await expect(row.getByRole("button", { name: "Copied!" })).toBeVisible();
    const copied = Date.now();
    await expect(row.getByRole("button", { name: "Click" })).toBeVisible();
    expect(Date.now() - copied).toBeGreaterThan(1400);
    expect(Date.now() - copied).toBeLessThan(5000);

    await setCodeActive("chatgpt", "Server 3", false);
    try {
      const third = shop.server("Server 3");
      await third.getByRole("button", { name: "Click" }).click();
      await expect(third.getByText("No access code found for Server 3")).toBeVisible();
    } finally {
      await setCodeActive("chatgpt", "Server 3", true);
    }
  });
  await test.step("a code that the browser refuses to copy is shown to be copied manually", async () => {
    await page.evaluate(() => {
      const refuse = () => Promise.reject(new DOMException("no", "NotAllowedError"));
      Object.assign(navigator.clipboard, { write: refuse, writeText: refuse });
    });
    const row = shop.server("Server 1");
    await row.getByRole("button", { name: "Click" }).click();
    await expect(row.getByLabel("The code for Server 1")).toBeFocused();
    await expect(row.getByText("Please select it and copy it manually.", { exact: false })).toBeVisible();
    await expectAccessible(page, "tool page with a code", "main");
  });
});

test("a code is shown or handed to the extension, and the page says what became of it", async ({
  shop,
  page,
}) => {
  const clipboard = await recordClipboard(shop);
  await page.clock.install();
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "chatgpt", "7 Days");
  await shop.open("/tools/chatgpt");
  await test.step("one button is strong: that of the first server, and then of the server in use", async () => {
    const strong = page.locator("main .button-strong");
    await expect(strong).toHaveText([/^Show code/]);
    // Buyers of other journeys may have reported the first one.
    const ready = page
      .getByRole("list", { name: "Servers" })
      .getByRole("listitem")
      .filter({ hasText: "Ready" });
    await expect(ready.first().locator(".button-strong")).toBeVisible();
    const third = shop.server("Server 3");
    await third.getByRole("button", { name: "Show code" }).click();
    await expect(strong).toHaveText(["Copy"]);
    await third.getByRole("button", { name: "Hide code" }).click();
    await expect(strong).toHaveText([/^Show code/]);
    await expect(third.locator(".button-strong")).toBeVisible();
  });
  await test.step("a code is shown in its row, is copied and stays on the clipboard, and is hidden again", async () => {
    const [first] = listCodes("chatgpt");
    const row = shop.server("Server 1");
    await row.getByRole("button", { name: "Show code" }).click();
    const code = row.getByLabel("The code for Server 1");
    await expect(code).toHaveValue(first?.simpleCode ?? "");
    await expect(code).toBeFocused();
    expect(await clipboard()).toEqual([]);

    await row.getByRole("button", { name: "Copy", exact: true }).click();
    await expect(row.getByRole("button", { name: "Copied!" })).toBeVisible();
    await page.clock.fastForward(2_000);
    await expect(row.getByRole("button", { name: "Copy", exact: true })).toBeVisible();
    expect((await clipboard()).map(({ text }) => text)).toEqual([first?.simpleCode]);

    await expect(row.getByRole("button", { name: "Hide" })).toHaveCount(1);
    await row.getByRole("button", { name: "Hide code" }).click();
    await expect(code).toHaveCount(0);
    const show = row.getByRole("button", { name: "Show code" });
    await expect(show).toBeFocused();
    await show.click();
    await expect(code).toBeVisible();
    await page.clock.fastForward(60_000);
    await expect(code).toHaveCount(0);
  });
  await test.step("Click says what the extension did, and that it is needed when nothing answers in ten seconds", async () => {
    const row = shop.server("Server 2");
    const click = row.getByRole("button", { name: "Click" });
    await click.click();
    await expect(row.getByRole("button", { name: "Copied!" })).toBeVisible();
    await page.clock.fastForward(10_000);
    await expect(row.getByRole("status").getByText("No extension here. Press Show code.")).toBeVisible();
    await expect(row.getByRole("link", { name: "on your dashboard" })).toHaveAttribute(
      "href",
      "/dashboard#extension",
    );
    await expect(row.getByRole("link", { name: "for Chrome" })).toHaveAttribute(
      "href",
      "/downloads/daypass-chrome.zip",
    );
    // The code was not used, so there is nothing to report.
    const report = row.getByRole("button", { name: "This code does not work" });
    await expect(report).toHaveCount(0);

    await installFakeExtension(page, [
      { blocked: true },
      { blocked: false, message: "ChatGPT Pro is open." },
      { blocked: false, message: "ChatGPT Pro is open again." },
    ]);
    await click.click();
    await expect(row.getByRole("alert")).toHaveText([
      "Extension usage blocked: Maximum installations exceeded",
    ]);
    await expect(report).toHaveCount(0);
    await page.clock.fastForward(2_000);
    await click.click();
    await expect(row.getByRole("status").getByText("ChatGPT Pro is open.")).toBeVisible();
    await expect(report).toBeVisible();
    const accessCode = listCodes("chatgpt")[1]?.simpleCode;
    const trigger = { accessCode, toolName: "ChatGPT Pro", userEmail: email };
    expect(await page.evaluate(() => Reflect.get(window, "triggers"))).toMatchObject([trigger, trigger]);
  });
  await test.step("a click while the code is being fetched keeps what the extension answered to the last one", async () => {
    const row = shop.server("Server 2");
    const click = row.getByRole("button", { name: "Click" });
    const show = row.getByRole("button", { name: "Show code" });
    const answer = row.getByText("ChatGPT Pro is open again.");
    await page.clock.fastForward(2_000);
    await click.click();
    await expect(answer).toBeVisible();
    await page.clock.fastForward(2_000);
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
    await expect(row.getByLabel("The code for Server 2")).toBeVisible();
    await expect(answer).toBeVisible();
    await page.unrouteAll();
  });
});

test("Show code scrolls its whole box into view on a phone, and jumps there with reduced motion", async ({
  shop,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.addInitScript(() => {
    const positions: number[] = Object.assign(window, { positions: [] }).positions;
    addEventListener("scroll", () => positions.push(scrollY));
  });
  await signInAsNewUser(page);
  await buyPass(page, "chatgpt", "7 Days");
  for (const reducedMotion of ["no-preference", "reduce"] as const) {
    await page.emulateMedia({ reducedMotion });
    for (const belowButtonPx of [0, 40, 80, 120]) {
      await shop.open("/tools/chatgpt");
      const row = shop.server("Server 1");
      const show = row.getByRole("button", { name: "Show code" });
      await show.evaluate((button, space) => {
        button.style.scrollMarginBottom = `${space}px`;
        button.scrollIntoView({ block: "end", behavior: "instant" });
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      }, belowButtonPx);
      await page.evaluate(() => Reflect.get(window, "positions").splice(0));
      await show.press("Enter");
      await expect(row.getByLabel("The code for Server 1")).toBeFocused();
      await expect(row.getByRole("button", { name: "Copy", exact: true })).toBeInViewport({ ratio: 1 });
      if (reducedMotion === "reduce") {
        expect(await page.evaluate(() => Reflect.get(window, "positions"))).toHaveLength(1);
      }
    }
  }
});

test("a link with a code selects its server, or says that it is of another tool, and the code leaves the address", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  await buyPass(page, "chatgpt", "7 Days");
  await test.step("a link with a code selects its server and removes the code from the address", async () => {
    const second = listCodes("chatgpt")[1]?.simpleCode ?? "";
    await shop.open(`/tools/chatgpt?accessCode=${second}`);
    expect(page.url()).not.toContain(second);
    await expect(shop.server("Server 2").getByRole("button", { name: "Show code" })).toBeFocused();
  });
  await test.step("a link with a code of another tool says so and removes the code from the address, at 390 px", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const code = listCodes("canva")[0]?.simpleCode ?? "";
    await shop.open(`/tools/chatgpt?accessCode=${code}`);
    expect(page.url()).not.toContain(code);
    const notice = page.getByText("The code in this link belongs to another tool, not to ChatGPT Pro.");
    await expect(notice).toBeVisible();
    await shop.open("/tools/chatgpt?accessCode=nonsense");
    await expect(shop.server("Server 1")).toBeVisible();
    await expect(notice).toHaveCount(0);
  });
});

test("the dashboard shows the passes of the user and leads to the humanizer, whose credentials are copied", async ({
  shop,
  page,
  newClient,
}) => {
  const clipboard = await recordClipboard(shop);
  await page.clock.install();
  await test.step("the dashboard shows all passes of the user and none of others", async () => {
    const other = await newClient();
    await signInAsNewUser(other);
    await buyPass(other, "canva", "7 Days");
    await signInAsNewUser(page);
    await buyPass(page, "quillbot", "90 Days");
    await buyPass(page, "aihumanizer", "7 Days");
    await shop.open("/dashboard");
    await expect(page.getByText("Active", { exact: true })).toHaveCount(2);
    await expect(shop.pass("QuillBot").getByText(/^90 days left$/)).toBeVisible();
    await expect(shop.pass("Canva")).toHaveCount(0);
    await shop.pass("AI Humanizer").getByRole("link", { name: "Open" }).click();
    await expect(page).toHaveURL(/\/aihumanizer$/);
    for (const server of ["Write Human", "Stealth Writer", "Hix AI"]) {
      await expect(shop.server(server).getByRole("button", { name: "Click" })).toBeVisible();
    }
  });
  await test.step("the humanizer's credentials are copied on request, and stay on the clipboard", async () => {
    const credential = catalogue.credentials.find(({ service }) => service === "Stealth Writer");
    expect(credential).toBeDefined();
    expect(await page.content()).not.toContain(credential?.email);
    expect(await (await page.request.get("/aihumanizer")).text()).not.toContain(credential?.email);
    const card = page.getByRole("region", { name: "Tool Credentials" });
    await expect(card.getByRole("link", { name: "Login" })).toHaveAttribute("target", "_blank");
    for (const [label, text] of [
      ["Copy email", credential?.email],
      ["Copy password", credential?.password],
    ] as const) {
      await card.getByRole("button", { name: label, exact: true }).click();
      await expect(card.getByRole("button", { name: "Copied!" })).toBeVisible();
      await page.clock.fastForward(1_600);
      await expect(card.getByRole("button", { name: label, exact: true })).toBeVisible();
      expect((await clipboard()).at(-1)?.text).toBe(text);
    }
    expect(await clipboard()).toHaveLength(2);
    await expectAccessible(page, "humanizer page");
  });
});
