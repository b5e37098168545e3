import { createHmac, randomBytes } from "node:crypto";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { insertBuyers } from "./in-process-shop.ts";
import type { HttpResponse, LightHttp } from "./light-http.ts";
import type { ShopCluster } from "./shop-cluster.ts";

const refusal = z.object({ ok: z.literal(false), message: z.string() });
const started = z.object({ ok: z.literal(true), purchaseId: z.string(), gatewayOrderId: z.string() });
const statusResponse = z.object({ ok: z.literal(true), state: z.string() });
const signedPayment = z.object({
  razorpay_payment_id: z.string(),
  razorpay_order_id: z.string(),
  razorpay_signature: z.string(),
});

export type SignedPayment = z.infer<typeof signedPayment>;

/** `order` when a checkout was started; otherwise `result` is the state or the message of a refusal. */
export interface BuyerResponse extends HttpResponse {
  order: { purchaseId: string; gatewayOrderId: string } | null;
  result: string;
}

/** A signed-in buyer of one of the shop's processes, over HTTP. */
export class SignedInBuyer {
  readonly userId: string;
  readonly #http: LightHttp;
  readonly #shopUrl: string;
  readonly #sendPayment: (orderId: string) => Promise<HttpResponse>;
  readonly #headers: Record<string, string>;

  constructor(options: {
    userId: string;
    http: LightHttp;
    shopUrl: string;
    origin: string;
    /** Pays an order at the gateway. The response has the signed payment. */
    sendPayment: (orderId: string) => Promise<HttpResponse>;
    cookie: string;
  }) {
    this.userId = options.userId;
    this.#http = options.http;
    this.#shopUrl = options.shopUrl;
    this.#sendPayment = options.sendPayment;
    this.#headers = {
      origin: options.origin,
      cookie: options.cookie,
      "content-type": "application/x-www-form-urlencoded",
    };
  }

  start(slug: string, coupon?: string): Promise<BuyerResponse> {
    return this.#post("/checkout/start", { slug, ...(coupon !== undefined && { coupon }) });
  }

  confirm(payment: SignedPayment): Promise<BuyerResponse> {
    return this.#post("/checkout/confirm", {
      gatewayOrderId: payment.razorpay_order_id,
      gatewayPaymentId: payment.razorpay_payment_id,
      signature: payment.razorpay_signature,
    });
  }

  /** Claims the giveaway. A success has the status 200. */
  claim(roundId: string): Promise<BuyerResponse> {
    return this.#post("/giveaway/claim", { roundId });
  }

  async pay(orderId: string): Promise<SignedPayment> {
    const { text } = await this.#sendPayment(orderId);
    return signedPayment.parse(JSON.parse(text));
  }

  async #post(path: string, form: Record<string, string>): Promise<BuyerResponse> {
    const body = new URLSearchParams(form).toString();
    const response = await this.#http.post(`${this.#shopUrl}${path}`, body, this.#headers);
    return { ...response, ...parseResponse(response.text) };
  }
}

function parseResponse(text: string): Pick<BuyerResponse, "order" | "result"> {
  const json = parseJson(text);
  const order = started.safeParse(json);
  if (order.success) return { order: order.data, result: "started" };
  const result = statusResponse.safeParse(json).data?.state ?? refusal.safeParse(json).data?.message;
  return { order: null, result: result ?? text.slice(0, 80) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Buyers whose accounts and sessions are inserted into the database, because password hashing is not measured. They are
 * distributed evenly over the shop's processes.
 */
export async function signInBuyers(
  {
    database,
    shops,
    origin,
    authSecret,
    gateway,
  }: Pick<ShopCluster, "database" | "origin" | "authSecret" | "gateway"> & {
    shops: readonly { url: string }[];
  },
  http: LightHttp,
  count: number,
): Promise<SignedInBuyer[]> {
  const cookies = await insertSessions(database, authSecret, count);
  const sendPayment = (orderId: string) =>
    http.post(`${gateway.url}/control/pay`, JSON.stringify([orderId]), {});
  return cookies.map(({ userId, cookie }, n) => {
    const shopUrl = shops[n % shops.length]?.url ?? "";
    return new SignedInBuyer({ userId, http, shopUrl, origin, sendPayment, cookie });
  });
}

/** Inserts accounts with a session each. @returns the cookie of each session */
export async function insertSessions(
  database: pg.Client,
  authSecret: string,
  count: number,
): Promise<{ userId: string; cookie: string }[]> {
  const accounts = await insertBuyers(database, count);
  const sessions = accounts.map(({ userId }) => ({
    userId,
    id: uuidv7(),
    token: randomBytes(24).toString("hex"),
  }));
  await database.query(
    `insert into sessions (id, user_id, token, expires_at)
     select id, user_id, token, now() + interval '30 days'
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as t(id, user_id, token)`,
    [sessions.map(({ id }) => id), sessions.map(({ userId }) => userId), sessions.map(({ token }) => token)],
  );

  return sessions.map(({ userId, token }) => {
    const signature = createHmac("sha256", authSecret).update(token).digest("base64");
    return { userId, cookie: `daypass.session_token=${encodeURIComponent(`${token}.${signature}`)}` };
  });
}
