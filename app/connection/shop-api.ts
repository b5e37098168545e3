import * as z from "zod/mini";

/** The value, or the shop's refusal; `refusal` is null when no readable response arrived. */
export type ApiResult<Value> =
  | { ok: true; value: Value }
  | { ok: false; refusal: { code: string; message: string } | null };

/** Longer than the server waits for the payment gateway. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Response of an endpoint that refuses. `code` is the shop's error code, `message` the sentence for people. */
export const refusalSchema = z.object({ code: z.string(), message: z.string() });

/** Calls an endpoint of the shop that responds with JSON. Never rejects. */
export async function callShop<Value>(
  schema: z.ZodMiniType<Value>,
  path: string,
  init: RequestInit = {},
): Promise<ApiResult<Value>> {
  try {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    const response = await fetch(path, { ...init, cache: "no-store", signal });
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, value: schema.parse(body) };
    const refusal = refusalSchema.safeParse(body);
    return { ok: false, refusal: refusal.success ? refusal.data : null };
  } catch {
    return { ok: false, refusal: null };
  }
}

/** A request that posts JSON. */
export function postJson(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
