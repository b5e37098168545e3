import type { createRequestSender } from "../razorpay/send-request.ts";

const ATTEMPT_TIMEOUT_MS = 5_000;

/** Sends a webhook once. @returns the status of the response; rejects without one */
export async function postWebhook(
  send: ReturnType<typeof createRequestSender>,
  address: string,
  { eventId, rawBody, signature }: { eventId: string | null; rawBody: string; signature: string },
): Promise<number> {
  const { status } = await send(address, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Razorpay-Webhook/v1",
      "x-razorpay-signature": signature,
      ...(eventId === null ? {} : { "x-razorpay-event-id": eventId }),
    },
    body: rawBody,
    withinMs: ATTEMPT_TIMEOUT_MS,
  });
  return status;
}
