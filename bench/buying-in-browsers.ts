// How somebody buys a pass on a phone, in WebKit (the engine of the browsers on iPhones) and in Firefox, against a shop of its
// own: from the first press on the home page to the code and the sign-out, and what is pressed and typed before the
// JavaScript has arrived. Needs the built shop. Installs the browsers where apt-get may.
// node bin/daypass.mjs exec bench/buying-in-browsers.ts [webkit|firefox]
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { freePort } from "../tools/testing/free-port.ts";
import type { Browser } from "./support/browser.ts";
import { HoldingProxy } from "./support/holding-proxy.ts";
import { findPhoneEngines, type PhoneEngine } from "./support/phone-engines.ts";
import { createDataDir, startShop, stopShop } from "./support/shop-process.ts";
import { step } from "./support/step.ts";

const TOOL = "Canva";
const PRICE = "₹49";
/** A tool that the buyer looks at and does not buy. */
const OTHER_TOOL = "QuillBot";

const DIALOG = '//*[@role="dialog"]';
const GATEWAY = '//iframe[@title="Test payment"]';
const SEARCH = '//input[@type="search"]';
const PASS = `//li[.//h2[normalize-space()="${TOOL}"]]`;
const SERVER = '//li[.//h2[normalize-space()="Server 1"]]';

/** By their whole text, with the part that only screen readers get. */
const button = (label: string, inside = "") => `${inside}//button[normalize-space()="${label}"]`;
const link = (label: string, inside = "") => `${inside}//a[normalize-space()="${label}"]`;
const heading = (text: string, inside = "") =>
  `${inside}//*[self::h1 or self::h2 or self::h3][normalize-space()="${text}"]`;
const field = (label: string, inside = "") => `${inside}//*[@id=//label[normalize-space()="${label}"]/@for]`;
const cardButton = (tool: string) => button(`Get access to ${tool}`);

const IS_IN_WINDOW = `const element = document.evaluate(args[0], document, null, 9, null).singleNodeValue;
  const { left, top, right, bottom } = element.getBoundingClientRect();
  return left >= 0 && top >= 0 && left < right && right <= innerWidth && bottom <= innerHeight;`;
const HAS_FOCUS =
  "return document.evaluate(args[0], document, null, 9, null).singleNodeValue === document.activeElement";
const COUNT_FIRST_PAINTS = "return performance.getEntriesByName('first-contentful-paint').length";
const VALUE = "return document.evaluate(args[0], document, null, 9, null).singleNodeValue.value";

/** A buyer with a browser of their own, in front of the shop. */
interface Visit {
  browser: Browser;
  proxy: HoldingProxy;
}

async function buy(visit: Visit): Promise<void> {
  await openHome(visit);
  await signUp(visit);
  await pay(visit);
  await showCode(visit);
  await goBackAndSignOut(visit);
}

async function openHome({ browser, proxy }: Visit): Promise<void> {
  await step("the home page opens with 390 by 844 pixels, and the first price is in the window", async () => {
    await browser.open(`${proxy.url}/`);
    await browser.waitFor(cardButton(TOOL));
    await browser.waitForResult(
      "390 by 844",
      "return document.documentElement.clientWidth + ' by ' + innerHeight",
    );
    await browser.waitForResult(true, IS_IN_WINDOW, '//li[.//h3]//span[starts-with(., "₹")]');
  });
}

async function signUp({ browser }: Visit): Promise<void> {
  await step("a press on a tool opens the sign-in dialog", async () => {
    await browser.click(cardButton(TOOL));
    await browser.waitFor(heading("Welcome", DIALOG));
  });
  await step("a new account leads to the purchase dialog of the tool", async () => {
    await browser.click(button("Create an Account", DIALOG));
    await browser.type(field("Email", DIALOG), `${randomUUID()}@example.com`);
    await browser.type(field("Password", DIALOG), randomUUID());
    await browser.click(button("Create Account", DIALOG));
    await browser.waitFor(heading(TOOL, DIALOG));
  });
}

async function pay({ browser }: Visit): Promise<void> {
  await step("7 Days can be chosen", async () => {
    await browser.click(`${DIALOG}//label[.//input[@type="radio" and @value="7 Days"]]`);
    await browser.waitFor(button(`Pay ${PRICE}`, DIALOG));
  });
  await step("Pay opens the window of the bank, which takes the payment", async () => {
    await browser.click(button(`Pay ${PRICE}`, DIALOG));
    await browser.inFrame(GATEWAY, async () => {
      await browser.waitFor(button("Pay"));
      // Its buttons do nothing before its script has run.
      await browser.waitForResult("complete", "return document.readyState");
      await browser.click(button("Pay"));
    });
  });
  await step("the dialog says that the payment has been received, and closes", async () => {
    await browser.waitFor(heading("Payment received", DIALOG));
    await browser.waitUntilGone(DIALOG);
  });
}

async function showCode({ browser, proxy }: Visit): Promise<void> {
  await step("the dashboard shows the pass as active", async () => {
    await browser.click(link("Dashboard"));
    await browser.waitForUrl(`${proxy.url}/dashboard`);
    await browser.waitFor(`${PASS}//*[normalize-space()="Active"]`);
  });
  await step("the tool page shows a code", async () => {
    await browser.click(link(`Open ${TOOL}`, PASS));
    await browser.waitForUrl(`${proxy.url}/tools/canva`);
    await browser.click(button("Show code", SERVER));
    const code = field("The code for Server 1", SERVER);
    await browser.waitFor(code);
    await browser.waitForResult(true, `${VALUE} !== ""`, code);
  });
}

async function goBackAndSignOut({ browser, proxy }: Visit): Promise<void> {
  await step(
    "the back button closes a dialog and stays in the shop, and another press leaves the page",
    async () => {
      await browser.click(link("Daypass"));
      await browser.waitForUrl(`${proxy.url}/`);
      await browser.scrollTo(cardButton(OTHER_TOOL));
      await browser.click(cardButton(OTHER_TOOL));
      await browser.waitFor(heading(OTHER_TOOL, DIALOG));
      await browser.back();
      await browser.waitUntilGone(DIALOG);
      await browser.waitForUrl(`${proxy.url}/`);
      await browser.waitForResult(true, HAS_FOCUS, cardButton(OTHER_TOOL));
      await browser.back();
      await browser.waitForUrl(`${proxy.url}/tools/canva`);
    },
  );
  await step("Sign Out leads to the home page of a visitor", async () => {
    await browser.click(link("Dashboard"));
    await browser.waitForUrl(`${proxy.url}/dashboard`);
    await browser.click(button("Sign Out"));
    await browser.waitForUrl(`${proxy.url}/`);
    await browser.waitFor(button("Get Started"));
  });
}

/** Opens the home page without its JavaScript. Nobody can press anything before the first paint. */
async function openWithoutScripts({ browser, proxy }: Visit): Promise<void> {
  await step("the home page is painted while its JavaScript is held back", async () => {
    proxy.hold();
    await browser.open(`${proxy.url}/`);
    await browser.waitFor(cardButton(TOOL));
    await browser.waitForResult(1, COUNT_FIRST_PAINTS);
  });
}

/** Lets the JavaScript arrive. */
function release({ proxy }: Visit): void {
  if (proxy.heldCount === 0) throw new Error("No script was held back.");
  proxy.release();
}

async function pressEarly(visit: Visit): Promise<void> {
  await openWithoutScripts(visit);
  await step("a press before the JavaScript has arrived opens the dialog afterwards", async () => {
    await visit.browser.click(cardButton(TOOL));
    release(visit);
    await visit.browser.waitFor(heading("Welcome", DIALOG));
  });
}

async function typeEarly(visit: Visit): Promise<void> {
  const { browser, proxy } = visit;
  await openWithoutScripts(visit);
  await step("a search that was typed before the JavaScript has arrived stays and filters", async () => {
    await browser.type(SEARCH, "canva");
    release(visit);
    await browser.waitUntilGone(cardButton(OTHER_TOOL));
    await browser.waitFor(cardButton(TOOL));
    await browser.waitForResult("canva", VALUE, SEARCH);
    await browser.waitForUrl(`${proxy.url}/?q=canva`);
  });
}

/** Does all parts, each with a browser of its own. @returns whether all of them went well */
async function doAllParts(engine: PhoneEngine, proxy: HoldingProxy): Promise<boolean> {
  let allGood = true;
  for (const part of [pressEarly, typeEarly, buy]) {
    try {
      await engine.use((browser) => part({ browser, proxy }));
    } catch (error) {
      console.error(error);
      allGood = false;
    } finally {
      proxy.release();
    }
  }
  return allGood;
}

const engines = await findPhoneEngines(process.argv[2], console.log).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
const [port, proxyPort] = [await freePort(), await freePort()];
const dataDir = createDataDir();
const shop = await startShop({ dataDir, port, env: { ORIGIN: `http://localhost:${proxyPort}` } });
const proxy = await HoldingProxy.start(proxyPort, port);
try {
  for (const engine of engines) {
    console.log(engine.name);
    if (!(await doAllParts(engine, proxy))) process.exitCode = 1;
  }
} finally {
  proxy.close();
  await stopShop(shop);
  rmSync(dataDir, { recursive: true, force: true });
}
