import { z } from "zod";

/** The name under which the protocol wraps the id of an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

const valueSchema = z.object({ value: z.unknown() });
const elementSchema = z.object({ value: z.object({ [ELEMENT]: z.string() }) });
const resultSchema = z.object({
  value: z.object({ value: z.unknown().optional(), error: z.string().optional() }),
});

/** The browser refused a command. `code` is WebDriver's, such as "no such element". */
export class WebDriverError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.name = "WebDriverError";
    this.code = code;
  }
}

/** normal: a navigation ends when the page has loaded. none: it ends at once. */
export type PageLoadStrategy = "normal" | "none";

export const TIMEOUTS = { script: 30_000, pageLoad: 30_000 };

/** The commands of WebDriver that Marionette and the HTTP protocol name alike. */
export type Command =
  | "Navigate"
  | "Back"
  | "GetCurrentURL"
  | "ExecuteAsyncScript"
  | "FindElement"
  | "ElementClick"
  | "ElementSendKeys"
  | "SwitchToFrame";

/** A session with a browser. Elements are found by XPath. */
export abstract class WebDriver {
  /** @returns the response: an object with a `value`. @throws WebDriverError */
  abstract command(name: Command, parameters?: Record<string, unknown>): Promise<unknown>;

  async navigate(url: string): Promise<void> {
    await this.command("Navigate", { url });
  }

  /** Presses the back button. */
  async back(): Promise<void> {
    await this.command("Back");
  }

  /** Runs the body of an asynchronous function in the page. @returns what it returns */
  async run(body: string, ...args: unknown[]): Promise<unknown> {
    const script = `const [done, values] = [arguments[arguments.length - 1], [...arguments].slice(0, -1)];
      (async (...args) => { ${body} })(...values).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const response = await this.command("ExecuteAsyncScript", { script, args });
    const { value, error } = resultSchema.parse(response).value;
    if (error !== undefined) throw new Error(error);
    return value;
  }

  /** The id of the first element that matches. @throws WebDriverError 'no such element' */
  async find(xpath: string): Promise<string> {
    const found = await this.command("FindElement", { using: "xpath", value: xpath });
    return elementSchema.parse(found).value[ELEMENT] ?? "";
  }

  /** Clicks as a mouse does: the page counts it as an act of the user. */
  async clickElement(id: string): Promise<void> {
    await this.command("ElementClick", { id });
  }

  /** Presses the keys of a text in an element. */
  async sendKeys(id: string, text: string): Promise<void> {
    await this.command("ElementSendKeys", { id, text });
  }

  /** Sends the next commands to the page inside a frame. @param id null for the page itself */
  async switchToFrame(id: string | null): Promise<void> {
    await this.command("SwitchToFrame", { id: id === null ? null : { [ELEMENT]: id } });
  }

  async currentUrl(): Promise<string> {
    return String(valueSchema.parse(await this.command("GetCurrentURL")).value);
  }
}
