import * as z from "zod/mini";
import { NETWORK_ERROR_MESSAGE } from "../ui/shop-connection.ts";

const date = z.pipe(
  z.iso.datetime(),
  z.transform((text: string) => new Date(text)),
);

/** Response of GET giveaway/today. UTC, days. */
const todaySchema = z.object({
  giveaway: z.nullable(
    z.object({
      roundId: z.string(),
      toolName: z.string(),
      toolSlug: z.string(),
      validityDays: z.int(),
      endsAt: date,
      now: date,
      state: z.enum(["open", "taken", "won", "owned", "admin"]),
      claim: z.nullable(z.object({ at: date, by: z.string() })),
    }),
  ),
});

const claimedSchema = z.object({ toolName: z.string(), toolSlug: z.string(), expiresAt: date });
const refusalSchema = z.object({ code: z.string(), message: z.string() });

export type ShownGiveaway = NonNullable<z.infer<typeof todaySchema>["giveaway"]>;
export type ClaimedPass = z.infer<typeof claimedSchema>;

export type ClaimResponse =
  | { ok: true; pass: ClaimedPass }
  /** `code` is null when no readable response arrived. */
  | { ok: false; code: string | null; message: string };

const REQUEST_TIMEOUT_MS = 15_000;

/** The giveaway of today; null when there is none. Rejects when the shop does not answer. */
export async function fetchTodaysGiveaway(): Promise<ShownGiveaway | null> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const response = await fetch("/giveaway/today", { cache: "no-store", signal });
  return todaySchema.parse(await response.json()).giveaway;
}

/** Claims a giveaway. Never rejects. A claim whose response was lost can be repeated. */
export async function sendClaim(roundId: string): Promise<ClaimResponse> {
  try {
    const response = await fetch("/giveaway/claim", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ roundId }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const body: unknown = await response.json();
    return response.ok
      ? { ok: true, pass: claimedSchema.parse(body) }
      : { ok: false, ...refusalSchema.parse(body) };
  } catch {
    return { ok: false, code: null, message: NETWORK_ERROR_MESSAGE };
  }
}
