import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { z } from "zod";
import { GatewayError } from "#core/payments/payment-gateway.ts";
import { apiError } from "./api-schemas.ts";

export interface ApiClientOptions {
  /** Without the /v1, for example https://gateway.example; a trailing slash is allowed. */
  apiUrl: string;
  keyId: string;
  keySecret: string;
  /** Limit for one attempt, until its response is complete. Milliseconds; 5,000 when unset. */
  timeoutMs?: number;
  /** Limit for all requests of one call, including attempts and pauses. Milliseconds; 10,000 when unset. */
  budgetMs?: number;
}

export interface ApiRequest<Result> {
  method: "GET" | "POST";
  /** Below /v1, for example "orders". Ids are checked with `pathId`. */
  path: string;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** The idempotency key of a refund, which makes a repeated request safe. */
  idempotencyKey?: string;
  /** Called with the time of the gateway's clock, in whole seconds, once it has answered. */
  onServerTime?: (time: Date) => void;
  /** Called before another attempt. Returns the result of the last one when it succeeded after all. */
  findResult?: () => Promise<Result | null>;
}

export type ApiCall = <Schema extends z.ZodType>(
  schema: Schema,
  request: ApiRequest<z.output<Schema>>,
) => Promise<z.output<Schema>>;

const ATTEMPTS = 3;
const PAUSE_MS = 150;
/** An attempt with less time than this is not started. */
const SHORTEST_ATTEMPT_MS = 50;

/**
 * Creates a client for the gateway's REST API. A transient failure is retried, with up to three attempts, so every
 * request must be safe to repeat: a request whose response was lost may have been carried out. No message or cause of
 * its errors contains the secret.
 *
 * @returns a function that starts a call. All requests of one call end within its time budget
 */
export function createApiClient(options: ApiClientOptions): () => ApiCall {
  const timeoutMs = options.timeoutMs ?? 5_000;
  const budgetMs = options.budgetMs ?? 10_000;
  const send = createSender(options);

  return () => {
    const end = performance.now() + budgetMs;
    const remainingMs = () => Math.floor(end - performance.now());
    return async (schema, request) => {
      for (let failed = 1; ; failed++) {
        try {
          return await attempt(send, schema, request, Math.max(1, Math.min(timeoutMs, remainingMs())));
        } catch (error) {
          const pauseMs = PAUSE_MS * 2 ** failed * (0.5 + Math.random() / 2);
          const mayRetry = failed < ATTEMPTS && remainingMs() - pauseMs >= SHORTEST_ATTEMPT_MS;
          if (!mayRetry || !(error instanceof GatewayError) || !isTransient(error)) throw error;
          await pause(pauseMs);
        }
        const result = await request.findResult?.();
        if (result) return result;
      }
    };
  };
}

type Send = (request: ApiRequest<unknown>, withinMs: number) => Promise<ApiResponse>;

function createSender(options: ApiClientOptions): Send {
  const base = options.apiUrl.replace(/\/+$/, "");
  const send = createRequestSender(base);
  const authorization = `Basic ${Buffer.from(`${options.keyId}:${options.keySecret}`).toString("base64")}`;

  return (request, withinMs) => {
    const query = request.query ? `?${new URLSearchParams(request.query)}` : "";
    const headers: Record<string, string> = { authorization, accept: "application/json" };
    if (request.body) headers["content-type"] = "application/json";
    if (request.idempotencyKey) headers["x-refund-idempotency"] = request.idempotencyKey;
    return send(`${base}/v1/${request.path}${query}`, {
      method: request.method,
      headers,
      body: request.body ? JSON.stringify(request.body) : null,
      withinMs,
    });
  };
}

async function attempt<Schema extends z.ZodType>(
  send: Send,
  schema: Schema,
  request: ApiRequest<unknown>,
  withinMs: number,
): Promise<z.output<Schema>> {
  const name = `${request.method} /v1/${request.path}`;
  const response = await send(request, withinMs).catch((cause: unknown) => {
    throw new GatewayError(describeNoResponse(name, cause, withinMs), { retryable: true, cause });
  });
  if (response.date !== null) request.onServerTime?.(response.date);
  if (response.status < 200 || response.status > 299) throw toGatewayError(name, response);
  const parsed = schema.safeParse(parseJson(response.text));
  // The request may have been carried out, so this error must be retryable.
  if (!parsed.success) {
    const message = `${name} was answered with something unreadable`;
    throw new GatewayError(message, { retryable: true, httpStatus: response.status, cause: parsed.error });
  }
  return parsed.data;
}

/** Checks an id for use in a path. @throws GatewayError for an id that could change the path, such as "../orders" */
export function pathId(id: string): string {
  if (/^[A-Za-z0-9_]{1,64}$/.test(id)) return id;
  throw new GatewayError("an id has characters that no id of the gateway has", { retryable: false });
}

function describeNoResponse(name: string, cause: unknown, withinMs: number): string {
  const timedOut = cause instanceof Error && cause.name === "TimeoutError";
  return timedOut ? `${name} was not answered within ${withinMs} ms` : `${name} was not answered`;
}

function toGatewayError(name: string, { status, text }: { status: number; text: string }): GatewayError {
  const parsed = apiError.safeParse(parseJson(text));
  const why = parsed.success ? `: ${parsed.data.error.description.slice(0, 200)}` : "";
  // Only these two statuses refuse the request itself. The owner can correct any other reason (wrong keys, a wrong
  // address), and the request, such as a refund, must then still be sent.
  const retryable = status !== 400 && status !== 422;
  return new GatewayError(`${name} was answered ${status}${why}`, { retryable, httpStatus: status });
}

/** Whether an attempt a second later may succeed. 409: the gateway is processing the same refund at this moment. */
function isTransient({ retryable, httpStatus }: GatewayError): boolean {
  if (!retryable) return false;
  return httpStatus === null || httpStatus < 300 || httpStatus >= 500 || [408, 409, 429].includes(httpStatus);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

interface ApiResponse {
  status: number;
  text: string;
  /** The header Date; null: it is missing or unreadable. */
  date: Date | null;
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
          const date = new Date(response.headers.date ?? "");
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString("utf8"),
            date: Number.isNaN(date.getTime()) ? null : date,
          });
        });
      });
      request.end(body ?? undefined);
    });
}
