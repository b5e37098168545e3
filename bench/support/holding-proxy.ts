import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";

/** A reverse proxy in front of the shop that can hold back the shop's JavaScript, as a slow network does. */
export class HoldingProxy {
  readonly url: string;
  readonly #server: Server;
  readonly #targetPort: number;
  /** Sends the requests that are held back; null when none is to be held back. */
  #held: (() => void)[] | null = null;

  private constructor(port: number, targetPort: number) {
    this.url = `http://localhost:${port}`;
    this.#targetPort = targetPort;
    this.#server = createServer((incoming, outgoing) => {
      const forward = () => this.#forward(incoming, outgoing);
      if (this.#held && isScript(incoming)) this.#held.push(forward);
      else forward();
    });
  }

  static async start(port: number, targetPort: number): Promise<HoldingProxy> {
    const proxy = new HoldingProxy(port, targetPort);
    proxy.#server.listen(port, "localhost");
    await once(proxy.#server, "listening");
    return proxy;
  }

  /** Holds back every script from now on. */
  hold(): void {
    this.#held ??= [];
  }

  get heldCount(): number {
    return this.#held?.length ?? 0;
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const forward of held) forward();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url: path, headers } = incoming;
    const target = { host: "localhost", port: this.#targetPort, method, path, headers };
    const forwarded = request(target, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, outgoing, () => undefined);
    });
    outgoing.once("close", () => forwarded.destroy());
    pipeline(incoming, forwarded, (error) => {
      if (error) outgoing.destroy();
    });
  }
}

function isScript({ url = "" }: IncomingMessage): boolean {
  return url.startsWith("/assets/") && url.endsWith(".js");
}
