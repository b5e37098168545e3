import { z } from "zod";
import { type Command, type PageLoadStrategy, TIMEOUTS, WebDriver, WebDriverError } from "./webdriver.ts";

const ROUTES: Record<Command, { method: "GET" | "POST"; path: string }> = {
  Navigate: { method: "POST", path: "/url" },
  Back: { method: "POST", path: "/back" },
  GetCurrentURL: { method: "GET", path: "/url" },
  ExecuteAsyncScript: { method: "POST", path: "/execute/async" },
  FindElement: { method: "POST", path: "/element" },
  ElementClick: { method: "POST", path: "/element/{id}/click" },
  ElementSendKeys: { method: "POST", path: "/element/{id}/value" },
  SwitchToFrame: { method: "POST", path: "/frame" },
};

const responseSchema = z.object({ value: z.unknown() });
const failureSchema = z.object({ value: z.object({ error: z.string(), message: z.string() }) });
const stringSchema = z.object({ value: z.string() });
const stringsSchema = z.object({ value: z.array(z.string()) });
const sessionSchema = z.object({ value: z.object({ sessionId: z.string() }) });

/** A client of the WebDriver protocol: JSON over HTTP to a driver program, which starts the browser. */
export class HttpWebDriver extends WebDriver {
  readonly #session: string;

  private constructor(session: string) {
    super();
    this.#session = session;
  }

  /**
   * Starts a browser and a session.
   *
   * @param url of the driver
   * @param capabilities of one kind of browser
   */
  static async connect(
    url: string,
    pageLoadStrategy: PageLoadStrategy,
    capabilities: object,
  ): Promise<HttpWebDriver> {
    const alwaysMatch = { pageLoadStrategy, timeouts: TIMEOUTS, ...capabilities };
    const started = await request("POST", `${url}/session`, { capabilities: { alwaysMatch } });
    return new HttpWebDriver(`${url}/session/${sessionSchema.parse(started).value.sessionId}`);
  }

  command(name: Command, parameters: Record<string, unknown> = {}): Promise<unknown> {
    const { method, path } = ROUTES[name];
    return this.#send(method, path.replace("{id}", String(parameters.id)), parameters);
  }

  async resizeWindow(width: number, height: number): Promise<void> {
    await this.#send("POST", "/window/rect", { x: 0, y: 0, width, height });
  }

  /** Closes the window and continues in another one. @returns false when there is no other one yet */
  async moveToOtherWindow(): Promise<boolean> {
    const own = stringSchema.parse(await this.#send("GET", "/window")).value;
    const all = stringsSchema.parse(await this.#send("GET", "/window/handles")).value;
    const other = all.find((handle) => handle !== own);
    if (other === undefined) return false;
    await this.#send("DELETE", "/window");
    await this.#send("POST", "/window", { handle: other });
    return true;
  }

  /** Closes the browser. */
  async quit(): Promise<void> {
    await this.#send("DELETE", "");
  }

  #send(method: "GET" | "POST" | "DELETE", path: string, body: object = {}): Promise<unknown> {
    return request(method, this.#session + path, body);
  }
}

async function request(method: "GET" | "POST" | "DELETE", url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method, ...(method === "POST" && { body: JSON.stringify(body) }) });
  const answer: unknown = await response.json();
  if (response.ok) return responseSchema.parse(answer);
  const { error, message } = failureSchema.parse(answer).value;
  throw new WebDriverError(error, message);
}
