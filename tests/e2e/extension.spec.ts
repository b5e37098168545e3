import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "@playwright/test";
import { strFromU8, unzipSync } from "fflate";
import { z } from "zod";
import { EXTENSION_VERSION } from "#contracts/extension-version.ts";
import { packageCommand } from "../../bin/run-command.ts";
import { expectAccessible } from "./accessibility.ts";
import { listCodes } from "./demo-catalogue.ts";
import { downloadExtension, type ExtensionBrowser, openBrowserWithExtension } from "./extension-browser.ts";
import { test as shopTest } from "./fixtures.ts";
import { expirePasses, setLaunchUrl } from "./shop-database.ts";
import { buyPass, connectDevice, PASSWORD, post, signInAsNewUser } from "./test-users.ts";

/** The page of a tool, which counts what happens in it. */
const TOOL_SITE = `<!doctype html><title>Tool</title><form><input type="password" aria-label="Password"></form><script>
  let touched = 0;
  addEventListener("message", () => touched++);
  new MutationObserver(() => touched++).observe(document, { subtree: true, childList: true, attributes: true });
</script>`;

interface Fixtures {
  installExtension: () => Promise<ExtensionBrowser>;
  /** The address of ChatGPT Pro while the test runs: a page on another host. */
  toolSite: string;
}

const test = shopTest.extend<Fixtures>({
  toolSite: async ({ sharedShopUrl: _ }, provide) => {
    const server = createServer((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(TOOL_SITE),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const before = await setLaunchUrl("chatgpt", url);
    await provide(url);
    await setLaunchUrl("chatgpt", before);
    server.close();
    server.closeAllConnections();
  },
  installExtension: async ({ sharedShopUrl }, provide) => {
    const browsers: ExtensionBrowser[] = [];
    await provide(async () => {
      const browser = await openBrowserWithExtension(sharedShopUrl);
      browsers.push(browser);
      return browser;
    });
    for (const browser of browsers) await browser.close();
  },
});

async function signIn({ shop }: ExtensionBrowser, email: string): Promise<void> {
  const response = await post(shop.page, "/api/auth/sign-in/email", { email, password: PASSWORD });
  expect(response.status()).toBe(200);
}

/** Opens the tool's page and presses Click on its first server. */
async function clickServer({ shop }: ExtensionBrowser): Promise<void> {
  await shop.open("/tools/chatgpt");
  await shop.server("Server 1").getByRole("button", { name: "Click" }).click();
}

const lintReport = z.object({ errors: z.array(z.unknown()) });

const READY = "Ready. Press the Daypass icon at the top right.";

test("a click on a server redeems its code and opens the tool, on two browsers at most, until the pass ends", async ({
  installExtension,
  toolSite,
}) => {
  test.slow();
  const first = await installExtension();
  const { email } = await signInAsNewUser(first.shop.page);
  await buyPass(first.shop.page, "chatgpt", "30 Days");

  const introduction = await first.openPopup();
  await expect(introduction.getByRole("heading", { name: "Connect this browser" })).toBeVisible();
  await expectAccessible(introduction, "popup not connected");
  await test.step("a page of the shop can send processPasteData to the extension, which trusts none of its fields", async () => {
    await first.shop.open("/dashboard");
    const answer = await first.shop.page.evaluate(
      (id) =>
        new Promise((resolve) => {
          const { runtime } = Reflect.get(window, "chrome");
          const message = {
            action: "processPasteData",
            clipboardText: "CODE",
            userEmail: "x",
            toolName: "x",
          };
          runtime.sendMessage(id, message, resolve);
        }),
      first.extensionId,
    );
    expect(answer).toMatchObject({ type: "EXTENSION_RESPONSE", blocked: true });
  });
  const opened = first.context.waitForEvent("page");
  await clickServer(first);
  await expect(first.shop.server("Server 1").getByText(READY)).toBeVisible();
  const site = await opened;
  await test.step("the tool opens in a new tab, whose page the extension leaves alone", async () => {
    await site.waitForURL(toolSite);
    await expect(site.getByLabel("Password")).toHaveValue("");
    expect(await site.evaluate("touched")).toBe(0);
    await first.shop.page.bringToFront();
    await expect.poll(() => first.shop.page.evaluate(() => navigator.clipboard.readText())).toBe("daypass");
    expect(first.context.pages().filter((page) => page.url() === toolSite)).toHaveLength(1);
  });
  const popup = await first.openPopup();
  await expect(popup.getByRole("link", { name: "Open Server 1 of ChatGPT Pro" })).toHaveAttribute(
    "href",
    toolSite,
  );
  await test.step("the popup shows the code of the last Click with Copy, and any other only when it is asked for", async () => {
    const simpleCode = listCodes("chatgpt")[0]?.simpleCode ?? "";
    await expect(popup.getByLabel("The code for Server 1 of ChatGPT Pro")).toHaveValue(simpleCode);
    await popup.getByRole("button", { name: "Copy", exact: true }).click();
    await expect(popup.getByRole("button", { name: "Copied!" })).toBeVisible();
    expect(await popup.evaluate(() => navigator.clipboard.readText())).toBe(simpleCode);
    const later = await first.openPopup();
    await later.clock.install({ time: Date.now() + 11 * 60_000 });
    await later.reload();
    await expect(later.getByLabel("The code for Server 1 of ChatGPT Pro")).toHaveCount(0);
    await later.getByRole("button", { name: "Show code of Server 1 of ChatGPT Pro" }).click();
    await expect(later.getByLabel("The code for Server 1 of ChatGPT Pro")).toHaveValue(simpleCode);
    await later.clock.fastForward(60_000);
    await expect(later.getByLabel("The code for Server 1 of ChatGPT Pro")).toHaveCount(0);
    await later.close();
  });
  await expect(popup.getByRole("link", { name: "Servers of ChatGPT Pro" })).toBeVisible();
  await expect(popup.getByText(email)).toBeVisible();
  const body = await popup.locator("body").innerText();
  expect(body).toMatch(/\d+ days left/);
  await expectAccessible(popup, "popup connected");

  await connectDevice(first.shop.page);

  const third = await installExtension();
  await signIn(third, email);
  await clickServer(third);
  await expect(third.shop.server("Server 1").getByRole("alert")).toHaveText(
    "Extension usage blocked: Maximum installations exceeded",
  );
  await expect(
    third.shop
      .server("Server 1")
      .getByRole("link", { name: "Already in 2 browsers. Remove one to use it here." }),
  ).toHaveAttribute("href", "/dashboard#devices");
  const blocked = await third.openPopup();
  await expect(blocked.getByRole("heading", { name: "This browser is not connected" })).toBeVisible();
  await expect(blocked.getByRole("link", { name: "Remove a browser" })).toHaveAttribute(
    "href",
    /\/dashboard#devices$/,
  );
  await expect(blocked.getByText("Already in 2 browsers. Remove one to use it here.")).toBeVisible();
  await expectAccessible(blocked, "popup over the limit");

  // Behind the popup the page gets no frames, and would keep the colours of the other scheme.
  await third.shop.page.bringToFront();
  await third.shop.open("/dashboard");
  const devices = third.shop.page.getByRole("region", { name: "Devices" });
  await expect(devices.getByRole("listitem")).toHaveCount(2);
  await expectAccessible(third.shop.page, "dashboard with devices");
  await expect(devices.getByRole("heading", { level: 3 })).toHaveText([
    "Chrome on Linux",
    "Chrome on Linux 2",
  ]);
  await expect(devices.getByText("Last seen today")).toHaveCount(2);
  await expect(
    devices.getByText("The extension is in 2 of 2 browsers. Remove one to use another."),
  ).toBeVisible();
  await devices.getByRole("button", { name: "Remove Chrome on Linux", exact: true }).click();
  await third.shop.page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await expect(devices.getByRole("listitem")).toHaveCount(1);
  await clickServer(third);
  await expect(third.shop.server("Server 1").getByText(READY)).toBeVisible();
  await third.shop.open("/dashboard");
  await expect(devices.getByRole("listitem")).toHaveCount(2);
  await expect(devices.getByRole("listitem").nth(0)).not.toContainText("This browser");
  await expect(devices.getByRole("listitem").nth(1)).toContainText("This browser");
  await blocked.reload();
  await expect(blocked.getByRole("heading", { name: "Ready to open" })).toBeVisible();
  await expect(blocked.getByRole("heading", { name: "This browser is not connected" })).toHaveCount(0);
  await popup.reload();
  await expect(popup.getByRole("heading", { name: "Connect this browser" })).toBeVisible();

  await third.shop.open("/tools/chatgpt");
  await expirePasses(email, new Date());
  const ended = await third.openPopup();
  await expect(ended.getByText("You have no active pass.")).toBeVisible();
  await expect(ended.getByText(/^Your ChatGPT Pro pass ended on \d\d\/\d\d\/\d\d\./)).toBeVisible();
  await expect(ended.getByRole("link", { name: "Renew Access to ChatGPT Pro" })).toHaveAttribute(
    "href",
    /\/tools\/chatgpt$/,
  );
  await expectAccessible(ended, "popup with an ended pass");
  await expect(ended.getByRole("link", { name: "Open Server 1 of ChatGPT Pro" })).toHaveCount(0);
  await third.shop.server("Server 1").getByRole("button", { name: "Click" }).click();
  await expect(third.shop.heading("Access Required")).toBeVisible();
});

test("the dashboard offers the downloads, and says once for each version that an update is available", async ({
  shop,
  page,
}) => {
  await signInAsNewUser(page);
  await shop.open("/dashboard");
  const notice = page.getByRole("dialog", { name: "Extension Update Available" });
  await test.step("the notice about an update gets the focus, and Escape closes it from anywhere and gives the focus back", async () => {
    await expect(notice).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(notice.getByRole("link", { name: "How to install it" })).toBeFocused();
    await page.getByRole("link", { name: "Purchase Tools" }).focus();
    await page.keyboard.press("Escape");
    await expect(notice).toHaveCount(0);
    await expect(page.getByRole("link", { name: "Purchase Tools" })).toBeFocused();
  });
  await test.step("the dashboard offers the downloads, and says once for each version that an update is available", async () => {
    await page.evaluate(() => localStorage.clear());
    await shop.reload();
    await expect(notice).toBeVisible();
    await notice.getByRole("button", { name: "Got it, thanks!" }).click();
    await expect(notice).toHaveCount(0);
    const section = page.getByRole("region", { name: "Browser extension" });
    for (const browser of ["Chrome", "Firefox"]) {
      const download = page.waitForEvent("download");
      await section.getByRole("link", { name: `Download for ${browser}` }).click();
      expect((await download).suggestedFilename()).toBe(`daypass-${browser.toLowerCase()}.zip`);
    }
    const steps = section
      .getByRole("list", { name: "How to install it in Chrome or Edge" })
      .getByRole("listitem");
    await expect(steps).toHaveCount(3);
    for (const step of await steps.all()) await expect(step.locator("svg")).toBeVisible();
    await expectAccessible(page, "dashboard with the steps of an installation");
    await expect(section.getByRole("link", { name: "Add to your browser" })).toHaveCount(0);
    await section.getByText("How to install it in Firefox").click();
    await expect(section.getByText("until Firefox is closed")).toBeVisible();
    await page.clock.install();
    await shop.reload();
    await page.clock.runFor(2_000);
    await expect(notice).toHaveCount(0);
  });
  await test.step("a buyer with an older extension hears of the new version, also one who has dismissed an earlier notice", async () => {
    await page.addInitScript(() => {
      localStorage.setItem("daypass.extension-update", "1.0.0");
      window.addEventListener("message", ({ data }) => {
        if (data.type !== "DAYPASS_EXTENSION_REQUEST") return;
        window.postMessage({ type: "DAYPASS_EXTENSION_PRESENT", version: "1.0.0" }, window.location.origin);
      });
    });
    await shop.reload();
    await page.clock.runFor(2_000);
    await expect(notice).toContainText(
      `You can download version ${EXTENSION_VERSION} of the browser extension`,
    );
    await expect(notice).toContainText("you have 1.0.0.");
  });
});

test("the linter of Firefox finds no error in the zip, and the extension may read the pages of the shop only", async ({
  sharedShopUrl,
}) => {
  const folder = mkdtempSync(join(tmpdir(), "daypass-e2e-lint-"));
  try {
    const file = join(folder, "extension.zip");
    writeFileSync(file, await downloadExtension(sharedShopUrl, "firefox"));
    expect(await lint(file)).toEqual([]);
    for (const browser of ["chrome", "firefox"] as const) {
      const manifest = unzipSync(await downloadExtension(sharedShopUrl, browser))["manifest.json"];
      const shopPages = [`${sharedShopUrl.replace(/:\d+$/, "")}/*`];
      expect(JSON.parse(strFromU8(manifest ?? new Uint8Array()))).toMatchObject({
        permissions: ["storage"],
        host_permissions: shopPages,
        content_scripts: [{ matches: shopPages }],
      });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** What `web-ext lint` runs. It exits with 1 when there are errors. */
async function lint(file: string): Promise<unknown[]> {
  const program = packageCommand("addons-linter", "addons-linter");
  const { stdout } = await promisify(execFile)(process.execPath, [program, file, "--output", "json"]);
  return lintReport.parse(JSON.parse(stdout)).errors;
}
