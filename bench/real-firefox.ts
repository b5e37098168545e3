// The extension in a real Firefox, against a shop of its own: connect, redeem, popup, limit of devices, release, restart of the
// browser, end of the pass. Needs firefox-esr or firefox on this machine, and the built shop.
// node bin/daypass.mjs exec bench/real-firefox.ts
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { kill } from "node:process";
import { strFromU8, unzipSync } from "fflate";
import type pg from "pg";
import { z } from "zod";
import { freePort } from "../tests/free-port.ts";
import { Firefox, FirefoxProfile, findFirefox } from "./support/firefox.ts";
import { type BuyerFacts, button, FirefoxBuyer, SERVER, TOOL_PAGE } from "./support/firefox-buyer.ts";
import { connectToShop } from "./support/shop-database.ts";
import {
  createDataDir,
  listPostmasters,
  type ShopProcess,
  startShop,
  stopShop,
} from "./support/shop-process.ts";
import { step } from "./support/step.ts";

const TOOL = "ChatGPT Pro";
const READY = "Ready. Press the Daypass icon at the top right.";
const NOT_REDEEMABLE = "There is no such access code, or you have no active pass for its tool.";
const OPEN_LINK = `//a[@aria-label="Open Server 1 of ${TOOL}"]`;
const DEVICES = '//section[@id="devices"]';

/** What all steps share. */
interface Run extends BuyerFacts {
  shop: ShopProcess;
  database: pg.Client;
}

/** Starts Firefox with a profile, does `work`, and closes it again. */
async function inFirefox(
  program: string,
  profile: FirefoxProfile,
  run: Run,
  work: (browser: FirefoxBuyer) => Promise<void>,
): Promise<void> {
  const firefox = await Firefox.start(program, profile);
  try {
    await work(new FirefoxBuyer(firefox, run));
  } finally {
    await firefox.quit();
  }
}

async function connectAndRedeem(browser: FirefoxBuyer): Promise<void> {
  const { firefox } = browser;
  await browser.signIn("sign-up");
  await browser.buyPass();
  await step("the zip of /downloads installs, and the popup explains how to connect", async () => {
    await browser.install();
    await browser.openPopup();
    await firefox.waitForText("Connect this browser");
  });
  await step("a click on a server redeems its code", async () => {
    await browser.clickServer();
    await firefox.waitForText(READY);
  });
  await step("Click leaves the neutral word on the clipboard, and Show code the code", async () => {
    assert.equal(await browser.paste(), "daypass");
    const code = await browser.readCode();
    await browser.open(TOOL_PAGE);
    await firefox.click(button("Show code", SERVER));
    await firefox.click(button("Copy", SERVER));
    await firefox.waitForText("Copied!");
    assert.ok((await browser.paste()) === code, "the clipboard does not have the code");
  });
  await step(
    "the popup shows the session, its address, the pass with its time left, and the account",
    async () => {
      await browser.openPopup();
      await firefox.waitFor(OPEN_LINK);
      await firefox.waitFor(`//a[@aria-label="Servers of ${TOOL}"]`);
      assert.match(await firefox.text(), /\d+ days left/);
      assert.match(await firefox.text(), /@example\.com/);
    },
  );
}

async function connectAgain(browser: FirefoxBuyer): Promise<void> {
  const { firefox } = browser;
  await step("a restarted Firefox has lost the extension, and the page says so", async () => {
    await browser.clickServer();
    await firefox.waitForText("No extension here. Press Show code.");
  });
  await step("installed again, it works in the open page and is still the same device", async () => {
    await browser.install();
    await firefox.click(button("Click", SERVER));
    await firefox.waitForText(READY);
    await browser.open("/dashboard");
    await firefox.waitForText("in 1 of 2 browsers.");
    await firefox.waitForText("This browser");
  });
}

async function connectSecond(browser: FirefoxBuyer, otherOrigin: string): Promise<void> {
  await step("a second Firefox connects", async () => {
    await browser.signIn("sign-in");
    await browser.install();
    await browser.clickServer();
    await browser.firefox.waitForText(READY);
  });
  const code = await browser.readCode();
  await step("a page on another port of the shop's host gets no answer", async () => {
    assert.equal((await browser.trigger(code))?.blocked, false);
    await browser.firefox.open(otherOrigin);
    assert.equal(await browser.trigger(code), null);
  });
}

/** A page of somebody else on the shop's host. The permission of the extension has no port, so it runs there too. */
async function serveOtherPage(): Promise<{ origin: string; server: Server }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Other</title>");
  });
  const port = await freePort();
  server.listen(port, "localhost");
  await once(server, "listening");
  return { origin: `http://localhost:${port}/`, server };
}

async function connectThird(browser: FirefoxBuyer, { database, account }: Run): Promise<void> {
  const { firefox } = browser;
  await step("a third Firefox is blocked, and its popup says what to do", async () => {
    await browser.signIn("sign-in");
    await browser.install();
    await browser.clickServer();
    await firefox.waitForText("Extension usage blocked: Maximum installations exceeded");
    await browser.openPopup();
    await firefox.waitForText("This browser is not connected");
  });
  await step("after a device was released on the dashboard, it is allowed", async () => {
    await browser.open("/dashboard");
    await firefox.click(button("Remove", DEVICES));
    await firefox.click(button("Remove", '//*[@role="dialog" or @role="alertdialog"]'));
    await firefox.waitForText("in 1 of 2 browsers.");
    await browser.clickServer();
    await firefox.waitForText(READY);
    await browser.openPopup();
    await firefox.waitFor(OPEN_LINK);
  });
  const code = await browser.readCode();
  await step("the token redeems the code while the pass lasts", async () => {
    assert.equal((await browser.trigger(code))?.blocked, false);
  });
  await step("after the pass has ended, the extension and the page refuse", async () => {
    await browser.open(TOOL_PAGE);
    await endPasses(database, account.email);
    assert.deepEqual(await browser.trigger(code), { blocked: true, message: NOT_REDEEMABLE });
    await assert.rejects(browser.readCode(), /answered 403/);
    await firefox.waitForText("Access Required");
    await browser.openPopup();
    await firefox.waitForText("You have no active pass.");
    assert.equal(await firefox.count(OPEN_LINK), 0);
  });
}

/** Moves the passes of an account into the past. */
async function endPasses(database: pg.Client, email: string): Promise<void> {
  await database.query(
    `update user_purchases set expires_at = now(), starts_at = now() - make_interval(days => validity),
       captured_at = now() - make_interval(days => validity)
     where user_email = $1 and status = 'completed'`,
    [email],
  );
}

async function downloadZip(shopUrl: string, folder: string): Promise<Pick<Run, "zip" | "extensionId">> {
  const response = await fetch(`${shopUrl}/downloads/daypass-firefox.zip`);
  assert.equal(response.status, 200, "the zip cannot be downloaded");
  const content = new Uint8Array(await response.arrayBuffer());
  const manifest = unzipSync(content)["manifest.json"];
  const extensionId = z
    .object({ browser_specific_settings: z.object({ gecko: z.object({ id: z.string() }) }) })
    .parse(JSON.parse(strFromU8(manifest ?? new Uint8Array()))).browser_specific_settings.gecko.id;
  const zip = join(folder, "daypass-firefox.zip");
  writeFileSync(zip, content);
  return { zip, extensionId };
}

const program = findFirefox();
if (program === null) {
  console.error("No Firefox on this machine. On Debian: apt-get install firefox-esr");
  process.exit(1);
}
const dataDir = createDataDir();
const shop = await startShop({ dataDir, port: await freePort(), env: { DEMO: "1" } });
const other = await serveOtherPage();
const profiles: FirefoxProfile[] = [];
try {
  const database = await connectToShop(dataDir);
  const account = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const run: Run = { shop, database, account, ...(await downloadZip(shop.url, dataDir)) };
  const [first, second, third] = [1, 2, 3].map(() => new FirefoxProfile(run.extensionId));
  if (!first || !second || !third) throw new Error("three profiles are needed");
  profiles.push(first, second, third);
  await inFirefox(program, first, run, connectAndRedeem);
  await inFirefox(program, first, run, connectAgain);
  await inFirefox(program, second, run, (browser) => connectSecond(browser, other.origin));
  await inFirefox(program, third, run, (browser) => connectThird(browser, run));
  await database.end();
} finally {
  other.server.close();
  other.server.closeAllConnections();
  await stopShop(shop, "SIGKILL");
  for (const pid of listPostmasters(dataDir)) kill(pid, "SIGKILL");
  for (const profile of profiles) profile.remove();
}
