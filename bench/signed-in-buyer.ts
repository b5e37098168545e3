import { createHmac, randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import type { Answer, LightHttp } from "./light-http.ts";
import type { ShopCluster } from "./shop-cluster.ts";
import { insertBuyers } from "./shop-verbs.ts";

const refusal = z.object({ ok: z.literal(false), message: z.string() });
const started = z.object({ ok: z.literal(true), purchaseId: z.string(), orderId: z.string() });
const stands = z.object({ ok: z.literal(true), state: z.string() });
const proof = z.object({
  razorpay_payment_id: z.string(),
  razorpay_order_id: z.string(),
  razorpay_signature: z.string(),
});

export type Proof = z.infer<typeof proof>;

/** What came back, and how long it took. `order` when the checkout began, else the words or state in `said`. */
export interface Told extends Answer {
  order: { purchaseId: string; orderId: string } | null;
  said: string;
}

/** A signed-in browser at one of the shop's processes, as far as HTTP goes. */
export class SignedInBuyer {
  readonly userId: string;
  readonly #http: LightHttp;
  readonly #shopUrl: string;
  readonly #gatewayUrl: string;
  readonly #headers: Record<string, string>;

  constructor(options: {
    userId: string;
    http: LightHttp;
    shopUrl: string;
    origin: string;
    gatewayUrl: string;
    cookie: string;
  }) {
    this.userId = options.userId;
    this.#http = options.http;
    this.#shopUrl = options.shopUrl;
    this.#gatewayUrl = options.gatewayUrl;
    this.#headers = {
      origin: options.origin,
      cookie: options.cookie,
      "content-type": "application/x-www-form-urlencoded",
    };
  }

  start(slug: string): Promise<Told> {
    return this.#post("/checkout/start", { slug });
  }

  confirm(paid: Proof): Promise<Told> {
    return this.#post("/checkout/confirm", {
      orderId: paid.razorpay_order_id,
      paymentId: paid.razorpay_payment_id,
      signature: paid.razorpay_signature,
    });
  }

  async pay(orderId: string): Promise<Proof> {
    const { text } = await this.#http.post(`${this.#gatewayUrl}/control/pay`, JSON.stringify([orderId]), {});
    return proof.parse(JSON.parse(text));
  }

  async #post(path: string, form: Record<string, string>): Promise<Told> {
    const body = new URLSearchParams(form).toString();
    const answer = await this.#http.post(`${this.#shopUrl}${path}`, body, this.#headers);
    return { ...answer, ...read(answer.text) };
  }
}

function read(text: string): Pick<Told, "order" | "said"> {
  const json = parseJson(text);
  const order = started.safeParse(json);
  if (order.success) return { order: order.data, said: "started" };
  const said = stands.safeParse(json).data?.state ?? refusal.safeParse(json).data?.message;
  return { order: null, said: said ?? text.slice(0, 80) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Buyers with accounts and sessions written straight into the database, because hashing passwords is not what is
 * measured here. They are spread evenly over the shop's processes.
 */
export async function signInBuyers(
  { books, shops, origin, authSecret, gateway }: ShopCluster,
  http: LightHttp,
  count: number,
): Promise<SignedInBuyer[]> {
  const accounts = await insertBuyers(books, count);
  const sessions = accounts.map(({ userId }) => ({
    userId,
    id: uuidv7(),
    token: randomBytes(24).toString("hex"),
  }));
  await books.query(
    `insert into sessions (id, user_id, token, expires_at)
     select id, user_id, token, now() + interval '30 days'
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as t(id, user_id, token)`,
    [sessions.map(({ id }) => id), sessions.map(({ userId }) => userId), sessions.map(({ token }) => token)],
  );

  return sessions.map(({ userId, token }, n) => {
    const signature = createHmac("sha256", authSecret).update(token).digest("base64");
    return new SignedInBuyer({
      userId,
      http,
      shopUrl: shops[n % shops.length]?.url ?? "",
      origin,
      gatewayUrl: gateway.url,
      cookie: `daypass.session_token=${encodeURIComponent(`${token}.${signature}`)}`,
    });
  });
}
