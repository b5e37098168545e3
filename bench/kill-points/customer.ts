import type { RemoteFakeGateway } from "../../tools/testing/fake-gateway/remote.ts";
import { type Begun, Buyer, type Proof } from "../shop-buyer.ts";
import { PLENTY } from "./market.ts";

/** Checkouts that one account may have under way, and one to spare. */
const MOST_LEFT_OPEN = 2;

export interface Checkout {
  slug: string;
  purchaseId: string;
  orderId: string;
}

/** The shop, or the gateway through it, said no. */
export class Refused extends Error {
  readonly status: number;

  constructor(begun: Extract<Begun, { kind: "refused" }>) {
    super(begun.refused);
    this.name = "Refused";
    this.status = begun.status;
  }
}

/** A buyer with an account, who buys one tool after the other. */
export class Customer {
  readonly #buyer: Buyer;
  readonly #gateway: RemoteFakeGateway;
  readonly #unbought = [...PLENTY];
  /** Checkouts left open: their holds count against the account. */
  leftOpen = 0;

  private constructor(buyer: Buyer, gateway: RemoteFakeGateway) {
    this.#buyer = buyer;
    this.#gateway = gateway;
  }

  static async signUp(shopUrl: string, gateway: RemoteFakeGateway): Promise<Customer> {
    const buyer = new Buyer(shopUrl);
    await buyer.signUp();
    return new Customer(buyer, gateway);
  }

  /** Whether there is still something to buy. */
  get isFresh(): boolean {
    return this.#unbought.length > 0 && this.leftOpen < MOST_LEFT_OPEN;
  }

  /** A tool that never runs out and that this customer has not bought. */
  nextTool(): string {
    const slug = this.#unbought.pop();
    if (slug === undefined) throw new Error("this customer has bought everything");
    return slug;
  }

  begin(slug: string, coupon: string | null = null): Promise<Begun> {
    return this.#buyer.begin(slug, coupon);
  }

  /** Starts a checkout that is to be paid. @throws Refused */
  async start(slug: string, coupon: string | null = null): Promise<Checkout> {
    const begun = await this.begin(slug, coupon);
    if (begun.kind === "refused") throw new Refused(begun);
    if (begun.kind === "granted") throw new Error(`${slug} cost nothing`);
    return { slug, purchaseId: begun.purchaseId, orderId: begun.orderId };
  }

  pay({ orderId }: Checkout): Promise<Proof> {
    return this.#gateway.pay(orderId);
  }

  confirm(paid: Proof): Promise<string> {
    return this.#buyer.confirm(paid);
  }

  cancel({ purchaseId }: Checkout): Promise<string> {
    return this.#buyer.cancel(purchaseId);
  }
}
