import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Context } from "../context.ts";
import type { UntrustedInput } from "../parse.ts";

/** The address of a reminder with which its buyer stops reminders. Its signature takes the place of a sign-in, and opens nothing else. */
export function stopRemindersUrl(ctx: Context, userId: string): string {
  const parameters = new URLSearchParams({ account: userId, key: signatureOf(ctx, userId) });
  return `${ctx.store.origin}/reminders?${parameters}`;
}

function signatureOf(ctx: Context, userId: string): string {
  return ctx.ports.cipher.lookupHash(`stop-reminders ${userId}`);
}

const linkSchema = z.object({ account: z.uuid(), key: z.hash("sha256") });

/** @returns the account that an address of `stopRemindersUrl` is about; null: nobody has signed it */
export function readStopRemindersUrl(ctx: Context, parameters: UntrustedInput): string | null {
  const { success, data } = linkSchema.safeParse(parameters);
  if (!success) return null;
  const isSigned = timingSafeEqual(Buffer.from(data.key), Buffer.from(signatureOf(ctx, data.account)));
  return isSigned ? data.account : null;
}
