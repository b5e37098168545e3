import type { Context } from "#core/context.ts";
import { isDatabaseUnavailable, isDomainError } from "#core/errors.ts";
import { receiveWebhookEvent } from "#core/payments/webhook-events.server.ts";
import { retryHeaders } from "../errors/error-messages.ts";

/**
 * Receives a webhook event of the gateway. Reads the raw bytes, because the signature covers them, also those that are no
 * UTF-8. Responds with 2xx only
 * after the event is stored: any other status makes the gateway send the event again.
 *
 * @param ctx with the system as its actor: the signature authorises the caller
 */
export async function receiveRazorpayWebhook(ctx: Context, request: Request): Promise<Response> {
  if (request.method !== "POST") return respond(405, { allow: "POST" });
  try {
    await receiveWebhookEvent(ctx, {
      rawBody: new Uint8Array(await request.arrayBuffer()),
      signature: request.headers.get("x-razorpay-signature") ?? "",
      eventId: request.headers.get("x-razorpay-event-id"),
    });
    return respond(200);
  } catch (error) {
    if (isDomainError(error, "payments-not-set-up")) return respond(404);
    if (isDomainError(error, "payment-not-verified")) return respond(401);
    ctx.log.error({ err: error }, "webhook event could not be stored");
    return respond(isDatabaseUnavailable(error) ? 503 : 500, retryHeaders(error));
  }
}

function respond(status: number, headers: Record<string, string> = {}): Response {
  return Response.json(
    { ok: status === 200 },
    { status, headers: { "cache-control": "no-store", ...headers } },
  );
}
