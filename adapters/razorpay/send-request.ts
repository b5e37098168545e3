import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

export interface ApiResponse {
  status: number;
  text: string;
}

/** Far more than any response of the gateway. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Creates a function that sends requests over kept-alive connections. It uses Node's own client, which costs a third of
 * what fetch costs. It follows no redirects, so that details of a payment only reach the configured address.
 *
 * @returns a function that sends one request; it rejects when the response is not complete within `withinMs`
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
  ): Promise<ApiResponse> =>
    new Promise((resolve, reject) => {
      const { method, body, withinMs } = options;
      const headers =
        body === null
          ? options.headers
          : { ...options.headers, "content-length": String(Buffer.byteLength(body)) };
      const request = start(url, { method, headers, agent });
      const fail = (error: Error) => {
        clearTimeout(timer);
        reject(error);
        request.destroy();
      };
      // Rejects directly: destroying a request that has already ended emits no event.
      const timer = setTimeout(() => fail(new DOMException("no response in time", "TimeoutError")), withinMs);
      request.on("error", fail);
      request.on("close", () => fail(new Error("the connection ended without a response")));
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("error", fail);
        response.on("aborted", () => fail(new Error("the response was cut off")));
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > MAX_BYTES) fail(new Error("the response is too long"));
        });
        response.on("end", () => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") });
        });
      });
      request.end(body ?? undefined);
    });
}
