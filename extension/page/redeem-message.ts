import * as z from "zod/mini";
import { browserLimit } from "#contracts/page-messages.ts";

/** From the content script to the background of the extension. */
export const redeemMessageSchema = z.object({
  kind: z.literal("redeem"),
  accessCode: z.string().check(z.minLength(1), z.maxLength(500)),
  ticket: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
  /** What the page remembers of an earlier installation. */
  installationId: z.optional(z.uuid()),
});
export type RedeemMessage = z.infer<typeof redeemMessageSchema>;

/** The answer. */
export const redeemResultSchema = z.object({
  blocked: z.boolean(),
  message: z.string().check(z.maxLength(500)),
  installationId: z.optional(z.uuid()),
  limit: browserLimit,
});
