import type { ActionFunctionArgs } from "react-router";
import { confirmCheckout } from "#core/checkout/checkout-status.server.ts";
import { cancelCheckout } from "#core/checkout/end-checkout.server.ts";
import { type StartedCheckout, startCheckout } from "#core/checkout/start-checkout.server.ts";
import type { Context } from "#core/context.ts";
import { checkCoupon } from "#core/coupons/redeem-coupons.server.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { methodNotAllowed, respondWith } from "../../request/json-response.ts";
import { readBody } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";

/** The operation of each route in `app/routes.ts`, with the fields that are posted to it. The operation parses them. */
const OPERATIONS: Record<string, (ctx: Context, input: UntrustedInput) => Promise<object>> = {
  /** { slug, code }: whether a coupon is valid for the tool, and its discount. */
  "checkout/coupon": checkCoupon,
  /** { slug, option, coupon, renewal, cameFrom }: takes a hold and creates the payment order. A repeated request gets the same order. */
  "checkout/start": async (ctx, input) => {
    const started = await startCheckout(ctx, input);
    return input.reads === "gatewayOrderId" ? started : forOlderPage(started);
  },
  /** { gatewayOrderId, gatewayPaymentId, signature }: the gateway's window returned after a payment. */
  "checkout/confirm": (ctx, input) => confirmCheckout(ctx, ofOlderPage(input)),
  /** { purchaseId }: the gateway's window was closed; the hold is released. */
  "checkout/cancel": cancelCheckout,
};

/* A page that was opened before an upgrade from 0.2.0 does not send `reads`, and uses other names. Needed for one release. */

function forOlderPage(started: StartedCheckout): object {
  if (started.kind === "nothing-to-pay") return { ...started, kind: "granted" };
  return { ...started, orderId: started.gatewayOrderId };
}

const ofOlderPage = (proof: UntrustedInput): UntrustedInput => ({
  gatewayOrderId: proof.orderId,
  gatewayPaymentId: proof.paymentId,
  ...proof,
});

export async function action({
  request,
  context,
  pattern,
}: Pick<ActionFunctionArgs, "request" | "context" | "pattern">): Promise<Response> {
  // The router's types give the pattern a leading slash; at runtime it has none below a root route without a path.
  const operation = OPERATIONS[pattern.replace(/^\//, "")];
  if (!operation) throw new Error(`no operation for the route ${pattern}`);
  if (request.method !== "POST") return methodNotAllowed("POST");
  const ctx = context.get(shopContext);
  return respondWith(ctx, async () => operation(ctx, await readBody(request)));
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
