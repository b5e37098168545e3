import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { z } from "zod";
import { type Command, type PageLoadStrategy, TIMEOUTS, WebDriver, WebDriverError } from "./webdriver.ts";

const responseSchema = z.tuple([z.literal(1), z.number(), z.unknown(), z.unknown()]);
const failureSchema = z.object({ error: z.string(), message: z.string() });

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * A client of Marionette, the remote protocol that Firefox has built in: JSON over TCP, each message after its length in
 * bytes and a colon.
 */
export class Marionette extends WebDriver {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #received: Buffer = Buffer.alloc(0);
  #lastId = 0;

  private constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on("data", (chunk) => this.#receive(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#failAll(new Error("Firefox closed the connection")));
  }

  /** Connects and starts a session. */
  static async connect(port: number, pageLoadStrategy: PageLoadStrategy): Promise<Marionette> {
    const socket = connect({ host: "127.0.0.1", port });
    await once(socket, "connect");
    const marionette = new Marionette(socket);
    await marionette.send("WebDriver:NewSession", { timeouts: TIMEOUTS, pageLoadStrategy });
    return marionette;
  }

  command(name: Command, parameters?: Record<string, unknown>): Promise<unknown> {
    return this.send(`WebDriver:${name}`, parameters);
  }

  /** @throws WebDriverError */
  send(command: string, parameters: object = {}): Promise<unknown> {
    const id = ++this.#lastId;
    const message = JSON.stringify([0, id, command, parameters]);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.write(`${Buffer.byteLength(message)}:${message}`);
    });
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

  /** Installs an extension until the browser closes. @returns its id */
  async installTemporarily(path: string): Promise<string> {
    const installed = await this.send("Addon:Install", { path, temporary: true });
    return z.object({ value: z.string() }).parse(installed).value;
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
    waiting?.reject(new WebDriverError(failure.error, failure.message));
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
