import { randomUUID } from "node:crypto";
import { z } from "zod";

const refusal = z.object({ ok: z.literal(false), message: z.string() });
const startAnswer = z.union([
  z.object({ ok: z.literal(true), purchaseId: z.string(), orderId: z.string() }),
  z.object({ ok: z.literal(true), kind: z.literal("granted"), purchaseId: z.string() }),
  refusal,
]);
const confirmAnswer = z.union([z.object({ ok: z.literal(true), state: z.string() }), refusal]);
const proof = z.object({
  razorpay_payment_id: z.string(),
  razorpay_order_id: z.string(),
  razorpay_signature: z.string(),
});

export type Proof = z.infer<typeof proof>;

/** How the start of a checkout ended; `granted`: there was nothing to pay. */
export type Begun =
  | { kind: "to-pay"; purchaseId: string; orderId: string }
  | { kind: "granted"; purchaseId: string }
  | { kind: "refused"; refused: string; status: number };

/** A buyer's browser, as far as HTTP goes: cookies, form posts, the gateway's checkout. */
export class Buyer {
  readonly #url: string;
  #cookie = "";

  constructor(url: string) {
    this.#url = url;
  }

  async signUp(): Promise<void> {
    const answer = await this.#post("/api/auth/sign-up/email", {
      json: { email: `${randomUUID()}@example.com`, password: "a-fine-password-7" },
    });
    if (!answer.ok) throw new Error(`sign-up answered ${answer.status}: ${await answer.text()}`);
    this.#cookie = answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(";")[0])
      .join("; ");
    await answer.body?.cancel();
  }

  /** @returns the order to pay, or the words of the refusal with its HTTP status */
  async start(
    slug: string,
  ): Promise<{ purchaseId: string; orderId: string } | { refused: string; status: number }> {
    const begun = await this.begin(slug, null);
    return begun.kind === "granted" ? { refused: "nothing to pay", status: 200 } : begun;
  }

  async begin(slug: string, coupon: string | null): Promise<Begun> {
    const form = { slug, ...(coupon === null ? {} : { coupon }) };
    const answer = await this.#post("/checkout/start", { form });
    const body = startAnswer.safeParse(await answer.json().catch(() => null));
    if (!body.success) return { kind: "refused", refused: "unreadable answer", status: answer.status };
    const { data } = body;
    if (!data.ok) return { kind: "refused", refused: data.message, status: answer.status };
    if (!("orderId" in data)) return { kind: "granted", purchaseId: data.purchaseId };
    return { kind: "to-pay", purchaseId: data.purchaseId, orderId: data.orderId };
  }

  async pay(orderId: string): Promise<Proof> {
    const answer = await this.#post("/sandbox-gateway/checkout/pay", { json: { order_id: orderId } });
    return proof.parse(await answer.json());
  }

  /** @returns the checkout's state: 'success' once the pass exists */
  async confirm(paid: Proof): Promise<string> {
    const answer = await this.#post("/checkout/confirm", {
      form: {
        orderId: paid.razorpay_order_id,
        paymentId: paid.razorpay_payment_id,
        signature: paid.razorpay_signature,
      },
    });
    const body = confirmAnswer.parse(await answer.json());
    return body.ok ? body.state : body.message;
  }

  /** Closes the gateway's window. @returns the checkout's state, or the words of the refusal */
  async cancel(purchaseId: string): Promise<string> {
    const answer = await this.#post("/checkout/cancel", { form: { purchaseId } });
    const body = confirmAnswer.parse(await answer.json());
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
