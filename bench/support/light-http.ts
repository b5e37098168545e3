import { Agent, request } from "node:http";

export interface HttpResponse {
  status: number;
  text: string;
  /** The cookies that the response sets, as the next request sends them. */
  cookie: string;
  /** From the first byte sent to the last one received. */
  ms: number;
}

const TIMEOUT_MS = 60_000;

/** An HTTP client that uses little CPU, because it runs on the machine that it measures. Connections are kept alive. */
export class LightHttp {
  readonly #agent: Agent;

  constructor(connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" });
  }

  post(url: string, body: string, headers: Record<string, string>): Promise<HttpResponse> {
    return this.#send(url, "POST", { ...headers, "content-length": String(Buffer.byteLength(body)) }, body);
  }

  get(url: string, headers: Record<string, string> = {}): Promise<HttpResponse> {
    return this.#send(url, "GET", headers, "");
  }

  #send(url: string, method: string, headers: Record<string, string>, body: string): Promise<HttpResponse> {
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, agent: this.#agent, headers, timeout: TIMEOUT_MS });
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("error", reject);
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const cookie = (response.headers["set-cookie"] ?? []).map((line) => line.split(";")[0]).join("; ");
          resolve({ status: response.statusCode ?? 0, text, cookie, ms: performance.now() - began });
        });
      });
      sent.on("timeout", () => sent.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)));
      sent.on("error", (error) => {
        // The server closed the idle connection before it read this request.
        if (sent.reusedSocket && "code" in error && error.code === "ECONNRESET") {
          resolve(this.#send(url, method, headers, body));
        } else reject(error);
      });
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
