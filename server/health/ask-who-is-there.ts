import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { PROCESS_HEALTH_PATH } from "../http/paths.ts";
import { reasonOf } from "../start/checks.ts";
import { askSigned, QUESTION_HEADER, type WayOfRequest } from "./signed-question.ts";

/** The time limit of one answer. */
export const ANSWER_LIMIT_MS = 4_000;
/** The reason of an error when an answer takes longer. */
export const TOO_SLOW = "it does not answer in time";

/** Who has answered. */
type Answer =
  | { kind: "shop"; way: WayOfRequest }
  | { kind: "other"; status: number; headers: IncomingHttpHeaders }
  | { kind: "error"; reason: string };

/**
 * Asks a signed question, which tells this shop apart from every other server. Does not throw.
 *
 * @param key null: the question is not signed, and every server counts as another server
 */
export async function askWhoIsThere(address: URL, key: Buffer | null, signal: AbortSignal): Promise<Answer> {
  const question = key === null ? null : askSigned(key);
  try {
    const headers = question === null ? {} : { [QUESTION_HEADER]: question.header };
    const answer = await sendRequest(new URL(PROCESS_HEALTH_PATH, address), { headers, signal });
    const way = question?.readAnswer(answer.text) ?? null;
    return way === null ? { kind: "other", ...answer } : { kind: "shop", way };
  } catch (error) {
    return { kind: "error", reason: explain(error) };
  }
}

/** The reason of an error. A name with several addresses has one error for each; the first counts. */
function explain(error: unknown): string {
  if (error instanceof Error && error.name === "AbortError") return TOO_SLOW;
  return reasonOf(error instanceof AggregateError ? error.errors[0] : error);
}

const MAX_BYTES = 64 * 1024;

/**
 * Sends one GET request. It follows no redirects, and accepts every certificate: the request has no secret, and the signature of
 * an answer shows whether it comes from the shop.
 */
export function sendRequest(
  url: URL,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  const isHttps = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const withinLimit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
    const options = { headers: { ...headers, accept: "*/*" }, signal: withinLimit, agent: false };
    const request = isHttps
      ? httpsRequest(url, { ...options, rejectUnauthorized: false })
      : httpRequest(url, options);
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("error", reject);
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_BYTES) request.destroy(new Error("its answer is too long"));
      });
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.end();
  });
}
