import type { Context } from "#core/context.ts";
import { isDatabaseUnavailable, isDomainError } from "#core/errors.ts";
import { receiveWebhookEvent } from "#core/payments/receive-webhook-event.server.ts";
import { retryHeaders } from "../middleware/error-messages.ts";

/**
 * The payment gateway reports an event. The signature covers the raw body, so that is what is read. The answer is 2xx only
 * once the event is stored: anything else makes the gateway send it again.
 *
 * @param ctx of the system: the signature is what authorises the caller
 */
export async function receiveRazorpayWebhook(ctx: Context, request: Request): Promise<Response> {
  if (request.method !== "POST") return answer(405, { allow: "POST" });
  try {
    await receiveWebhookEvent(ctx, {
      rawBody: await request.text(),
      signature: request.headers.get("x-razorpay-signature") ?? "",
      eventId: request.headers.get("x-razorpay-event-id"),
    });
    return answer(200);
  } catch (error) {
    if (isDomainError(error, "payments-not-set-up")) return answer(404);
    if (isDomainError(error, "payment-not-verified")) return answer(401);
    ctx.log.error({ err: error }, "a webhook could not be stored");
    return answer(isDatabaseUnavailable(error) ? 503 : 500, retryHeaders(error));
  }
}

function answer(status: number, headers: Record<string, string> = {}): Response {
  return Response.json(
    { ok: status === 200 },
    { status, headers: { "cache-control": "no-store", ...headers } },
  );
}
