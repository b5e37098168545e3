import { startCheckout } from "#core/checkout/start-checkout.server.ts";
import type { Context } from "#core/context.ts";

/** Starts a checkout whose amount is not 0. */
export async function startPaidCheckout(ctx: Context, input: Parameters<typeof startCheckout>[1]) {
  const started = await startCheckout(ctx, input);
  if (started.kind !== "pay") throw new Error("there was nothing to pay");
  return started;
}
