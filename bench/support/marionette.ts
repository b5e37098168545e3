import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { z } from "zod";

/** The name under which the protocol wraps the id of an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

const responseSchema = z.tuple([z.literal(1), z.number(), z.unknown(), z.unknown()]);
const failureSchema = z.object({ error: z.string(), message: z.string() });
const valueSchema = z.object({ value: z.unknown() });
const elementSchema = z.object({ value: z.object({ [ELEMENT]: z.string() }) });

/** The browser refused a command. `code` is WebDriver's, such as "no such element". */
export class MarionetteError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.name = "MarionetteError";
    this.code = code;
  }
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * A client of Marionette, the remote protocol that Firefox has built in: JSON over TCP, each message after its length in
 * bytes and a colon.
 */
export class Marionette {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #received: Buffer = Buffer.alloc(0);
  #lastId = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => this.#receive(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#failAll(new Error("Firefox closed the connection")));
  }

  /** Connects and starts a session. */
  static async connect(port: number): Promise<Marionette> {
    const socket = connect({ host: "127.0.0.1", port });
    await once(socket, "connect");
    const marionette = new Marionette(socket);
    await marionette.send("WebDriver:NewSession", { timeouts: { script: 30_000, pageLoad: 30_000 } });
    return marionette;
  }

  /** @throws MarionetteError */
  send(command: string, parameters: object = {}): Promise<unknown> {
    const id = ++this.#lastId;
    const message = JSON.stringify([0, id, command, parameters]);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.write(`${Buffer.byteLength(message)}:${message}`);
    });
  }

  async navigate(url: string): Promise<void> {
    await this.send("WebDriver:Navigate", { url });
  }

  /** Runs the body of an asynchronous function in the page. @returns what it returns */
  async run(body: string, ...args: unknown[]): Promise<unknown> {
    const script = `const [done, values] = [arguments[arguments.length - 1], [...arguments].slice(0, -1)];
      (async (...args) => { ${body} })(...values).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const response = await this.send("WebDriver:ExecuteAsyncScript", { script, args });
    const { value, error } = z
      .object({ value: z.object({ value: z.unknown().optional(), error: z.string().optional() }) })
      .parse(response).value;
    if (error !== undefined) throw new Error(error);
    return value;
  }

  /** Runs a script in the window of the browser itself instead of the page. */
  async runInBrowser(script: string, ...args: unknown[]): Promise<void> {
    await this.send("Marionette:SetContext", { value: "chrome" });
    try {
      await this.send("WebDriver:ExecuteScript", { script, args });
    } finally {
      await this.send("Marionette:SetContext", { value: "content" });
    }
  }

  /** The id of the first element that matches. @throws MarionetteError 'no such element' */
  async find(xpath: string): Promise<string> {
    const found = await this.send("WebDriver:FindElement", { using: "xpath", value: xpath });
    return elementSchema.parse(found).value[ELEMENT] ?? "";
  }

  /** Clicks as a mouse does: the page counts it as an act of the user. */
  async clickElement(id: string): Promise<void> {
    await this.send("WebDriver:ElementClick", { id });
  }

  async sendKeys(id: string, text: string): Promise<void> {
    await this.send("WebDriver:ElementSendKeys", { id, text });
  }

  /** Installs an extension until the browser closes. @returns its id */
  async installTemporarily(path: string): Promise<string> {
    const installed = await this.send("Addon:Install", { path, temporary: true });
    return z.object({ value: z.string() }).parse(installed).value;
  }

  async currentUrl(): Promise<string> {
    return String(valueSchema.parse(await this.send("WebDriver:GetCurrentURL")).value);
  }

  /** Closes Firefox. */
  async quit(): Promise<void> {
    await this.send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => undefined);
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const colon = this.#received.indexOf(":");
      if (colon < 0) return;
      const end = colon + 1 + Number(this.#received.subarray(0, colon).toString());
      if (this.#received.length < end) return;
      const message: unknown = JSON.parse(this.#received.subarray(colon + 1, end).toString());
      this.#received = this.#received.subarray(end);
      this.#accept(message);
    }
  }

  /** The greeting of the browser is no response. */
  #accept(message: unknown): void {
    const response = responseSchema.safeParse(message);
    if (!response.success) return;
    const [, id, error, result] = response.data;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === null) return waiting?.resolve(result);
    const failure = failureSchema.parse(error);
    waiting?.reject(new MarionetteError(failure.error, failure.message));
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
