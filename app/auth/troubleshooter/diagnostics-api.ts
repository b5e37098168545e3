import * as z from "zod/mini";

/** The cookie that the page sets by itself. The shop says whether it arrived. */
export const PAGE_COOKIE = "daypass.cookie_check";

const REQUEST_TIMEOUT_MS = 15_000;
const PROVIDER_TIMEOUT_MS = 8_000;

const begunSchema = z.object({ pageCookie: z.boolean() });
const conditionsSchema = z.object({
  now: z.pipe(
    z.iso.datetime(),
    z.transform((text: string) => new Date(text)),
  ),
  origin: z.string(),
  signedIn: z.boolean(),
  sessionCookie: z.boolean(),
});
const providerSchema = z.object({
  provider: z.discriminatedUnion("state", [
    z.object({ state: z.literal("not-configured") }),
    z.object({ state: z.literal("unreachable") }),
    z.object({ state: z.literal("known"), url: z.string() }),
  ]),
});

/** POST auth/diagnostics: the shop sets a cookie like the session's. null: the shop refuses forms from this address. */
export async function beginDiagnosis(probe: string): Promise<z.infer<typeof begunSchema> | null> {
  const response = await request("/auth/diagnostics", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ probe }),
  });
  return response.status === 403 ? null : begunSchema.parse(await response.json());
}

/** GET auth/diagnostics: whether that cookie came back, and the time of the shop. */
export async function readConditions(probe: string): Promise<z.infer<typeof conditionsSchema>> {
  const response = await request(`/auth/diagnostics?${new URLSearchParams({ probe })}`, {});
  return conditionsSchema.parse(await response.json());
}

/** GET auth/diagnostics/provider: where the provider of identities can be reached. */
export async function readProvider(): Promise<z.infer<typeof providerSchema>["provider"]> {
  const response = await request("/auth/diagnostics/provider", {});
  return providerSchema.parse(await response.json()).provider;
}

/** Whether this browser gets any answer from the address. Never rejects. What the answer says cannot be read. */
export async function canReach(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(PROVIDER_TIMEOUT_MS);
  return fetch(url, { method: "HEAD", mode: "no-cors", credentials: "omit", cache: "no-store", signal }).then(
    () => true,
    () => false,
  );
}

function request(path: string, init: RequestInit): Promise<Response> {
  return fetch(path, { ...init, cache: "no-store", signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
}
