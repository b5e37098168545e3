import { setTimeout as delay } from "node:timers/promises";
import { type WebDriver, WebDriverError } from "./webdriver.ts";

const WAIT_MS = 20_000;

/** A running browser with one page. Elements are named by XPath. */
export abstract class Browser {
  readonly #driver: WebDriver;

  constructor(driver: WebDriver) {
    this.#driver = driver;
  }

  /** Ends the session and the browser. */
  abstract quit(): Promise<void>;

  open(url: string): Promise<void> {
    return this.#driver.navigate(url);
  }

  back(): Promise<void> {
    return this.#driver.back();
  }

  /** Clicks the element as soon as it is there and nothing covers it. */
  async click(xpath: string): Promise<void> {
    await this.retry(`${xpath} cannot be clicked`, async () => {
      await this.#driver.clickElement(await this.#driver.find(xpath));
      return true;
    });
  }

  /** Scrolls the element to the middle of the window, out from under what is fixed at its edges. */
  async scrollTo(xpath: string): Promise<void> {
    await this.waitFor(xpath);
    const body = `document.evaluate(args[0], document, null, 9, null).singleNodeValue.scrollIntoView({ block: "center" })`;
    await this.#driver.run(body, xpath);
  }

  /** Types into a field. */
  async type(xpath: string, text: string): Promise<void> {
    await this.waitFor(xpath);
    await this.#driver.sendKeys(await this.#driver.find(xpath), text);
  }

  /** Waits until the element is there. */
  async waitFor(xpath: string): Promise<void> {
    await this.retry(`${xpath} is missing`, async () => (await this.#driver.find(xpath)) !== "");
  }

  async waitUntilGone(xpath: string): Promise<void> {
    await this.retry(`${xpath} is still there`, async () => (await this.count(xpath)) === 0);
  }

  /** Waits until the text of the page contains `text`. */
  async waitForText(text: string): Promise<void> {
    await this.retry(`the page does not say "${text}"`, async () => (await this.text()).includes(text));
  }

  async waitForUrl(url: string): Promise<void> {
    await this.retry(`the page is not ${url}`, async () => (await this.#driver.currentUrl()) === url);
  }

  /** Waits until the body of a function, which runs in the page, returns `expected`. */
  async waitForResult(expected: string | number | boolean, body: string, ...args: unknown[]): Promise<void> {
    await this.retry(
      `the page does not get ${expected} from: ${body}`,
      async () => (await this.#driver.run(body, ...args)) === expected,
    );
  }

  /** Does `work` with the page inside a frame. */
  async inFrame(xpath: string, work: () => Promise<void>): Promise<void> {
    await this.waitFor(xpath);
    await this.#driver.switchToFrame(await this.#driver.find(xpath));
    try {
      await work();
    } finally {
      await this.#driver.switchToFrame(null);
    }
  }

  /** The visible text of the page. */
  async text(): Promise<string> {
    return String(await this.#driver.run("return document.body.innerText"));
  }

  async count(xpath: string): Promise<number> {
    const body = "return document.evaluate('count(' + args[0] + ')', document, null, 1, null).numberValue";
    return Number(await this.#driver.run(body, xpath));
  }

  /** Repeats `attempt` until it is true. A page that is loading has no element, or loses it. */
  protected async retry(failure: string, attempt: () => Promise<boolean>): Promise<void> {
    const until = performance.now() + WAIT_MS;
    let cause: unknown;
    while (performance.now() < until) {
      try {
        if (await attempt()) return;
      } catch (error) {
        if (!(error instanceof WebDriverError)) throw error;
        cause = error;
      }
      await delay(100);
    }
    throw new Error(`${failure}:\n${await this.text().catch(() => "")}`, { cause });
  }
}
