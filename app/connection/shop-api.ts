/** Response of an endpoint that refuses. */
interface Refusal {
  /** The shop's error code. */
  code: string;
  /** The sentence for people. */
  message: string;
}

/** The value, or the shop's refusal; `refusal` is null when no readable response arrived. */
export type ApiResult<Value> = { ok: true; value: Value } | { ok: false; refusal: Refusal | null };

/** Reads the body of a response, or throws. A schema of Zod is a reader; pages that start without Zod write their own. */
interface BodyReader<Value> {
  parse(body: unknown): Value;
}

/** Longer than the server waits for the payment gateway. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Calls an endpoint of the shop that responds with JSON. Never rejects. */
export function callShop<Value>(
  reader: BodyReader<Value>,
  path: string,
  init?: RequestInit,
): Promise<ApiResult<Value>> {
  return readAnswer(reader, fetchFromShop(path, init));
}

/** Sends a request to the shop. Rejects as `fetch` does, and when the shop does not answer in time. */
export async function fetchFromShop(path: string, init: RequestInit = {}): Promise<Response> {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
  return fetch(path, { ...init, cache: "no-store", signal });
}

/** Reads the answer to a request. Never rejects. */
export async function readAnswer<Value>(
  reader: BodyReader<Value>,
  answer: Promise<Response>,
): Promise<ApiResult<Value>> {
  try {
    const response = await answer;
    const body: unknown = await response.json();
    return response.ok ? { ok: true, value: reader.parse(body) } : { ok: false, refusal: readRefusal(body) };
  } catch {
    return { ok: false, refusal: null };
  }
}

/** @returns null for a body of another shape, such as the page of a proxy */
export function readRefusal(body: unknown): Refusal | null {
  if (typeof body !== "object" || body === null || !("code" in body && "message" in body)) return null;
  const { code, message } = body;
  return typeof code === "string" && typeof message === "string" ? { code, message } : null;
}

/** A request that posts JSON. */
export function postJson(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
