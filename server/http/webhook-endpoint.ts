import type { Hono } from "hono";
import { receiveRazorpayWebhook } from "#app/webhooks/razorpay.ts";
import type { Context as ShopContext } from "#core/context.ts";
import { limitKeyOfAddress } from "#core/network.ts";
import { refusalResponse } from "./admission/refuse-request.ts";
import { WEBHOOK_PATH } from "./paths.ts";
import type { AppEnv } from "./request-scope.ts";
import { requireRequest } from "./request-scope.ts";

/** Wrong signatures of one address within a minute that are answered without delay. */
const REFUSED_AT_ONCE = 20;
const WINDOW_MS = 60_000;
const DELAY_MS = 1_000;
/** Refusals that may be delayed at the same time; further ones are answered 429. */
const MAX_DELAYED = 100;
const MAX_ADDRESSES = 10_000;

/**
 * POST /webhooks/razorpay, outside the page framework: the gateway expects an answer within seconds, and anybody can
 * send requests to this address. After 20 wrong signatures of an address within a minute, each further one is answered
 * a second later. A right signature is never delayed.
 */
export function mountWebhook(
  app: Hono<AppEnv>,
  systemContext: (log: ShopContext["log"]) => ShopContext,
): void {
  const delayRefusal = createRefusalDelay();
  app.all(WEBHOOK_PATH, async (c) => {
    const scope = requireRequest();
    const answer = await receiveRazorpayWebhook(systemContext(scope.log), c.req.raw);
    if (answer.status !== 401) return answer;
    scope.countRefusal("webhook with a wrong signature");
    return (await delayRefusal(limitKeyOfAddress(scope.address)))
      ? answer
      : refusalResponse(429, "application/json");
  });
}

/**
 * @returns a function that waits for the delay of the address; it resolves to false when too many answers are delayed
 */
function createRefusalDelay(): (address: string) => Promise<boolean> {
  const refused = new Map<string, number>();
  let windowEnds = 0;
  let delayed = 0;
  return async (address) => {
    if (performance.now() > windowEnds || refused.size >= MAX_ADDRESSES) {
      refused.clear();
      windowEnds = performance.now() + WINDOW_MS;
    }
    const count = (refused.get(address) ?? 0) + 1;
    refused.set(address, count);
    if (count <= REFUSED_AT_ONCE) return true;
    if (delayed >= MAX_DELAYED) return false;
    delayed++;
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    delayed--;
    return true;
  };
}
