import type { z } from "zod";
import { GatewayError } from "#core/payments/payment-gateway.ts";
import { apiError } from "./api-schemas.ts";
import { createRequestSender } from "./send-request.ts";

export interface ApiClientOptions {
  /** Without the /v1, such as https://gateway.example; a trailing slash is fine. */
  apiUrl: string;
  keyId: string;
  keySecret: string;
  /** For one try, its answer read to the end. Milliseconds; 5,000 when unset. */
  timeoutMs?: number;
  /** For all that one call asks, tries and pauses included. Milliseconds; 10,000 when unset. */
  budgetMs?: number;
}

export interface ApiRequest<Answer> {
  method: "GET" | "POST";
  /** Below /v1, such as "orders". Ids go through `pathId`. */
  path: string;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** Makes a refund safe to ask for again. */
  refundKey?: string;
  /** Before another try: what the last one did after all, if it did. */
  lookFirst?: () => Promise<Answer | null>;
}

export type ApiCall = <Schema extends z.ZodType>(
  answer: Schema,
  request: ApiRequest<z.output<Schema>>,
) => Promise<z.output<Schema>>;

const TRIES = 3;
const PAUSE_MS = 150;
/** A try that gets less time than this tells nothing. */
const SHORTEST_TRY_MS = 50;

/**
 * A client for the gateway's REST protocol. Whatever fails in a way that may pass is tried up to three times, so every
 * request must bear that: an answer that was lost does not mean that nothing happened. No message or cause of its errors
 * holds the secret.
 *
 * @returns starts a budget of time: what is asked through one result of it ends, answered or not, within that budget
 */
export function createApiClient(options: ApiClientOptions): () => ApiCall {
  const timeoutMs = options.timeoutMs ?? 5_000;
  const budgetMs = options.budgetMs ?? 10_000;
  const send = createSender(options);

  return () => {
    const end = performance.now() + budgetMs;
    const left = () => Math.floor(end - performance.now());
    return async (schema, request) => {
      for (let failed = 1; ; failed++) {
        try {
          return await attempt(send, schema, request, Math.max(1, Math.min(timeoutMs, left())));
        } catch (error) {
          const pauseMs = PAUSE_MS * 2 ** failed * (0.5 + Math.random() / 2);
          const another = failed < TRIES && left() - pauseMs >= SHORTEST_TRY_MS;
          if (!another || !(error instanceof GatewayError) || !isPassing(error)) throw error;
          await pause(pauseMs);
        }
        const done = await request.lookFirst?.();
        if (done) return done;
      }
    };
  };
}

type Send = (request: ApiRequest<unknown>, withinMs: number) => Promise<{ status: number; text: string }>;

function createSender(options: ApiClientOptions): Send {
  const base = options.apiUrl.replace(/\/+$/, "");
  const send = createRequestSender(base);
  const authorization = `Basic ${Buffer.from(`${options.keyId}:${options.keySecret}`).toString("base64")}`;

  return (request, withinMs) => {
    const query = request.query ? `?${new URLSearchParams(request.query)}` : "";
    const headers: Record<string, string> = { authorization, accept: "application/json" };
    if (request.body) headers["content-type"] = "application/json";
    if (request.refundKey) headers["x-refund-idempotency"] = request.refundKey;
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
  const answer = await send(request, withinMs).catch((cause: unknown) => {
    throw new GatewayError(noAnswer(name, cause, withinMs), { retryable: true, cause });
  });
  if (answer.status < 200 || answer.status > 299) throw refusal(name, answer);
  const parsed = schema.safeParse(parseJson(answer.text));
  // Whatever was asked for may have been done, so this must never look like a refusal.
  if (!parsed.success) {
    const message = `${name} was answered with something unreadable`;
    throw new GatewayError(message, { retryable: true, httpStatus: answer.status, cause: parsed.error });
  }
  return parsed.data;
}

/** An id as a part of a path. @throws GatewayError for what could lead to another address, such as "../orders" */
export function pathId(id: string): string {
  if (/^[A-Za-z0-9_]{1,64}$/.test(id)) return id;
  throw new GatewayError("an id has characters no id of the gateway has", { retryable: false });
}

function noAnswer(name: string, cause: unknown, withinMs: number): string {
  const late = cause instanceof Error && cause.name === "TimeoutError";
  return late ? `${name} was not answered within ${withinMs} ms` : `${name} was not answered`;
}

function refusal(name: string, { status, text }: { status: number; text: string }): GatewayError {
  const parsed = apiError.safeParse(parseJson(text));
  const why = parsed.success ? `: ${parsed.data.error.description.slice(0, 200)}` : "";
  // Only these two speak of the request itself. Any other (wrong keys, a wrong address) is for the owner to put right,
  // and what was asked for, such as a refund, is then still wanted.
  const retryable = status !== 400 && status !== 422;
  return new GatewayError(`${name} was answered ${status}${why}`, { retryable, httpStatus: status });
}

/** Whether the next second may bring another answer. 409: the same refund is being worked on at this moment. */
function isPassing({ retryable, httpStatus }: GatewayError): boolean {
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
