import { receiveGatewayEvent } from "#core/checkout/receive-gateway-event.server.ts";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/razorpay";

/**
 * The payment gateway tells what happened. The signature covers the raw body, so that is what is read. 2xx only once
 * the event is stored: anything else makes the gateway send it again.
 */
export async function action({ request, context }: Route.ActionArgs): Promise<Response> {
  if (request.method !== "POST") return loader();
  const ctx: Context = { ...context.get(shopContext), actor: { kind: "system" } };
  try {
    await receiveGatewayEvent(ctx, {
      rawBody: await request.text(),
      signature: request.headers.get("x-razorpay-signature") ?? "",
      eventId: request.headers.get("x-razorpay-event-id"),
    });
    return answer(200);
  } catch (error) {
    if (isDomainError(error, "payments-not-set-up")) return answer(404);
    if (isDomainError(error, "payment-not-verified")) {
      ctx.log.warn({}, "a webhook with a wrong signature was refused");
      return answer(401);
    }
    ctx.log.error({ err: error }, "a webhook could not be stored");
    return answer(500);
  }
}

export function loader(): Response {
  return answer(405, { allow: "POST" });
}

function answer(status: number, headers: Record<string, string> = {}): Response {
  return Response.json(
    { ok: status === 200 },
    { status, headers: { "cache-control": "no-store", ...headers } },
  );
}
