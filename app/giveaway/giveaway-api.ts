import * as z from "zod/mini";
import { type ApiResult, callShop, postJson } from "../connection/shop-api.ts";

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
      worksOn: z._default(z.array(z.enum(["phone", "laptop", "extension"])), []),
      validityDays: z.int(),
      endsAt: date,
      now: date,
      state: z.enum(["open", "taken", "won", "owned", "admin"]),
      claim: z.nullable(z.object({ at: date, by: z.string() })),
    }),
  ),
});

const claimedSchema = z.object({ toolName: z.string(), toolSlug: z.string(), expiresAt: date });

export type ShownGiveaway = NonNullable<z.infer<typeof todaySchema>["giveaway"]>;
export type ClaimedPass = z.infer<typeof claimedSchema>;

/** Fetches the giveaway of today; null when there is none. Never rejects. */
export function fetchTodaysGiveaway(): Promise<ApiResult<{ giveaway: ShownGiveaway | null }>> {
  return callShop(todaySchema, "/giveaway/today");
}

/** Claims a giveaway. Never rejects. A claim whose response was lost can be repeated. */
export function sendClaim(roundId: string): Promise<ApiResult<ClaimedPass>> {
  return callShop(claimedSchema, "/giveaway/claim", postJson({ roundId }));
}
