import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

export interface WireAnswer {
  status: number;
  text: string;
}

/** No answer of the gateway is nearly as long. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Sends requests over connections that are kept. Node's own client: it costs a third of fetch, and follows no redirect,
 * which would carry a payment's details to an address nobody configured.
 *
 * @returns sends one; rejects when it is not answered to the end within `withinMs`
 */
export function createRequestSender(base: string) {
  const secure = new URL(base).protocol === "https:";
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const start = secure ? httpsRequest : httpRequest;

  return (
    url: string,
    options: Pick<RequestOptions, "method"> & {
      headers: Record<string, string>;
      body: string | null;
      withinMs: number;
    },
  ): Promise<WireAnswer> =>
    new Promise((resolve, reject) => {
      const { method, body, withinMs } = options;
      const headers =
        body === null
          ? options.headers
          : { ...options.headers, "content-length": String(Buffer.byteLength(body)) };
      const sent = start(url, { method, headers, agent });
      const fail = (error: Error) => {
        clearTimeout(late);
        reject(error);
        sent.destroy();
      };
      // Rejects by itself: a request that is over already tells nobody that it is destroyed.
      const late = setTimeout(() => fail(new DOMException("no answer in time", "TimeoutError")), withinMs);
      sent.on("error", fail);
      sent.on("close", () => fail(new Error("the connection ended without an answer")));
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("error", fail);
        response.on("aborted", () => fail(new Error("the answer was cut off")));
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > MOST_BYTES) fail(new Error("the answer is too long"));
        });
        response.on("end", () => {
          clearTimeout(late);
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") });
        });
      });
      sent.end(body ?? undefined);
    });
}
