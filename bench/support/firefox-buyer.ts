import assert from "node:assert/strict";
import { z } from "zod";
import type { Firefox } from "./firefox.ts";

export const TOOL_PAGE = "/tools/chatgpt";
/** The first server on that page. */
export const SERVER = '//li[.//h2[normalize-space()="Server 1"]]';

/** The extension answers a redemption well within this time. */
const ANSWER_MS = 5_000;

/** The keys for paste, as WebDriver writes them: Control, and "v". */
const PASTE = "\uE009v";

/** Makes a POST of the page that is open, with its cookies. */
const POST = `const [path, body, isForm] = args;
  const response = await fetch(path, isForm
    ? { method: "POST", body: new URLSearchParams(body) }
    : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
  if (!response.ok) throw new Error(path + " was answered " + response.status);
  return await response.text();`;

/** Who the buyer is, and where. */
export interface BuyerFacts {
  shop: { url: string };
  account: { email: string; password: string };
  /** The file of the extension, and its id. */
  zip: string;
  extensionId: string;
}

/** A button by the beginning of its text, as XPath. */
export const button = (label: string, inside = "") =>
  `${inside}//button[starts-with(normalize-space(), "${label}")]`;

/** A buyer in a Firefox of their own, with the steps that a buyer takes. */
export class FirefoxBuyer {
  readonly firefox: Firefox;
  readonly #facts: BuyerFacts;

  constructor(firefox: Firefox, facts: BuyerFacts) {
    this.firefox = firefox;
    this.#facts = facts;
  }

  async install(): Promise<void> {
    assert.equal(await this.firefox.marionette.installTemporarily(this.#facts.zip), this.#facts.extensionId);
  }

  async post(path: string, body: object, isForm = false): Promise<unknown> {
    return JSON.parse(String(await this.firefox.marionette.run(POST, path, body, isForm)));
  }

  async signIn(way: "sign-in" | "sign-up"): Promise<void> {
    await this.open("/");
    await this.post(`/api/auth/${way}/email`, this.#facts.account);
  }

  async buyPass(): Promise<void> {
    const order = await this.post("/checkout/start", { slug: "chatgpt", option: "30 Days" });
    const { gatewayOrderId } = z.object({ gatewayOrderId: z.string() }).parse(order);
    const payment = z
      .record(z.string(), z.string())
      .parse(await this.post("/sandbox-gateway/checkout/pay", { order_id: gatewayOrderId }));
    const confirmed = await this.post("/checkout/confirm", {
      gatewayOrderId: payment.razorpay_order_id,
      gatewayPaymentId: payment.razorpay_payment_id,
      signature: payment.razorpay_signature,
    });
    assert.equal(z.object({ state: z.string() }).parse(confirmed).state, "success");
  }

  open(path: string): Promise<void> {
    return this.firefox.open(this.#facts.shop.url + path);
  }

  openPopup(): Promise<void> {
    return this.firefox.openPopup();
  }

  async clickServer(): Promise<void> {
    await this.open(TOOL_PAGE);
    await this.firefox.click(button("Click", SERVER));
  }

  /** Pastes into the search of the home page. @returns what was on the clipboard */
  async paste(): Promise<string> {
    await this.open("/");
    const field = await this.firefox.marionette.find('//input[@type="search"]');
    await this.firefox.marionette.sendKeys(field, PASTE);
    return String(
      await this.firefox.marionette.run("return document.querySelector('input[type=search]').value"),
    );
  }

  /** Asks the extension as the page does. @returns its answer; null if there is none */
  async trigger(accessCode: string): Promise<{ blocked: boolean; message: string } | null> {
    const answer = await this.firefox.marionette.run(
      `return await new Promise((resolve) => {
         setTimeout(() => resolve(null), args[1]);
         window.addEventListener("message", ({ data }) => {
           if (data.type === "EXTENSION_RESPONSE") resolve({ blocked: data.blocked, message: data.message });
         });
         const message = { type: "TRIGGER_EXTENSION_ACTION", accessCode: args[0], toolName: "x", userEmail: "x" };
         window.postMessage(message, window.location.origin);
       });`,
      accessCode,
      ANSWER_MS,
    );
    return z.object({ blocked: z.boolean(), message: z.string() }).nullable().parse(answer);
  }

  /** The code of the first server, as "Show code" gets it. */
  async readCode(): Promise<string> {
    await this.open(TOOL_PAGE);
    const revealed = await this.post(`${TOOL_PAGE}/code`, { serverId: "chatgpt-server-1" }, true);
    return z.object({ simpleCode: z.string() }).parse(revealed).simpleCode;
  }
}
