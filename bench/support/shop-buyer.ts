import { randomUUID } from "node:crypto";
import { z } from "zod";

const refusal = z.object({ ok: z.literal(false), message: z.string() });
const startResponse = z.union([
  z.object({ ok: z.literal(true), purchaseId: z.string(), gatewayOrderId: z.string() }),
  z.object({ ok: z.literal(true), kind: z.literal("nothing-to-pay"), purchaseId: z.string() }),
  refusal,
]);
const confirmResponse = z.union([z.object({ ok: z.literal(true), state: z.string() }), refusal]);
const signedPayment = z.object({
  razorpay_payment_id: z.string(),
  razorpay_order_id: z.string(),
  razorpay_signature: z.string(),
});

export type SignedPayment = z.infer<typeof signedPayment>;

/** The result of starting a checkout; `nothing-to-pay`: there was nothing to pay. */
export type StartResult =
  | { kind: "to-pay"; purchaseId: string; orderId: string }
  | { kind: "nothing-to-pay"; purchaseId: string }
  | { kind: "refused"; refused: string; status: number };

/** A buyer's browser without its screen: cookies, form posts, the sandbox checkout. */
export class Buyer {
  readonly #url: string;
  #cookie = "";

  constructor(url: string) {
    this.#url = url;
  }

  async signUp(): Promise<void> {
    const response = await this.#post("/api/auth/sign-up/email", {
      json: { email: `${randomUUID()}@example.com`, password: "a-fine-password-7" },
    });
    if (!response.ok) throw new Error(`sign-up responded with ${response.status}: ${await response.text()}`);
    this.#cookie = response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(";")[0])
      .join("; ");
    await response.body?.cancel();
  }

  /** @returns the order to pay, or the message of the refusal with its HTTP status */
  async start(
    slug: string,
  ): Promise<{ purchaseId: string; orderId: string } | { refused: string; status: number }> {
    const result = await this.tryStart(slug, null);
    return result.kind === "nothing-to-pay" ? { refused: "nothing to pay", status: 200 } : result;
  }

  async tryStart(slug: string, coupon: string | null): Promise<StartResult> {
    const form = { slug, reads: "gatewayOrderId", ...(coupon === null ? {} : { coupon }) };
    const response = await this.#post("/checkout/start", { form });
    const body = startResponse.safeParse(await response.json().catch(() => null));
    if (!body.success) return { kind: "refused", refused: "unreadable response", status: response.status };
    const { data } = body;
    if (!data.ok) return { kind: "refused", refused: data.message, status: response.status };
    if (!("gatewayOrderId" in data)) return { kind: "nothing-to-pay", purchaseId: data.purchaseId };
    return { kind: "to-pay", purchaseId: data.purchaseId, orderId: data.gatewayOrderId };
  }

  async pay(orderId: string): Promise<SignedPayment> {
    const response = await this.#post("/sandbox-gateway/checkout/pay", { json: { order_id: orderId } });
    return signedPayment.parse(await response.json());
  }

  /** @returns the state of the checkout, 'success' once the pass exists, or the message of the refusal */
  async confirm(payment: SignedPayment): Promise<string> {
    const response = await this.#post("/checkout/confirm", {
      form: {
        gatewayOrderId: payment.razorpay_order_id,
        gatewayPaymentId: payment.razorpay_payment_id,
        signature: payment.razorpay_signature,
      },
    });
    const body = confirmResponse.parse(await response.json());
    return body.ok ? body.state : body.message;
  }

  /** Closes the gateway's window. @returns the state of the checkout, or the message of the refusal */
  async cancel(purchaseId: string): Promise<string> {
    const response = await this.#post("/checkout/cancel", { form: { purchaseId } });
    const body = confirmResponse.parse(await response.json());
    return body.ok ? body.state : body.message;
  }

  #post(path: string, body: { json?: unknown; form?: Record<string, string> }): Promise<Response> {
    const headers: Record<string, string> = { origin: this.#url, cookie: this.#cookie };
    if (body.json !== undefined) headers["content-type"] = "application/json";
    return fetch(`${this.#url}${path}`, {
      method: "POST",
      headers,
      body: body.json === undefined ? new URLSearchParams(body.form ?? {}) : JSON.stringify(body.json),
      signal: AbortSignal.timeout(30_000),
    });
  }
}
