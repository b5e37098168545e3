import type { RemoteFakeGateway } from "#tests/fake-gateway/remote.ts";
import { Buyer, type SignedPayment, type StartResult } from "../support/shop-buyer.ts";
import { ABUNDANT_TOOLS } from "./catalogue.ts";

/** One less than an account may have open, so that it can start another. */
const MAX_OPEN_CHECKOUTS = 2;

export interface Checkout {
  slug: string;
  purchaseId: string;
  orderId: string;
}

const TERMS = [{}, { buyerFeePaise: 20 }, { offerPaise: 10 }];

/** The shop refused to start a checkout. */
export class CheckoutRefused extends Error {
  readonly status: number;

  constructor(result: Extract<StartResult, { kind: "refused" }>) {
    super(result.refused);
    this.name = "CheckoutRefused";
    this.status = result.status;
  }
}

/** A buyer with an account, who buys one tool after the other. */
export class Customer {
  readonly #buyer: Buyer;
  readonly #gateway: RemoteFakeGateway;
  readonly #unbought = [...ABUNDANT_TOOLS];
  /** Checkouts left open: their holds count against the account. */
  openCheckouts = 0;

  private constructor(buyer: Buyer, gateway: RemoteFakeGateway) {
    this.#buyer = buyer;
    this.#gateway = gateway;
  }

  static async signUp(shopUrl: string, gateway: RemoteFakeGateway): Promise<Customer> {
    const buyer = new Buyer(shopUrl);
    await buyer.signUp();
    return new Customer(buyer, gateway);
  }

  /** Whether a tool is left to buy and another checkout may be opened. */
  get canBuyMore(): boolean {
    return this.#unbought.length > 0 && this.openCheckouts < MAX_OPEN_CHECKOUTS;
  }

  /** A tool that never runs out and that this customer has not bought. */
  nextTool(): string {
    const slug = this.#unbought.pop();
    if (slug === undefined) throw new Error("this customer has bought everything");
    return slug;
  }

  tryStart(slug: string, coupon: string | null = null): Promise<StartResult> {
    return this.#buyer.tryStart(slug, coupon);
  }

  /** Starts a checkout that is to be paid. @throws CheckoutRefused */
  async start(slug: string, coupon: string | null = null): Promise<Checkout> {
    const result = await this.tryStart(slug, coupon);
    if (result.kind === "refused") throw new CheckoutRefused(result);
    if (result.kind === "nothing-to-pay") throw new Error(`${slug} cost nothing`);
    return { slug, purchaseId: result.purchaseId, orderId: result.orderId };
  }

  /** A third of the payments bear the fee on top, and a third use an offer. */
  pay({ orderId }: Checkout): Promise<SignedPayment> {
    return this.#gateway.pay(orderId, TERMS[(orderId.codePointAt(orderId.length - 1) ?? 0) % TERMS.length]);
  }

  confirm(signedPayment: SignedPayment): Promise<string> {
    return this.#buyer.confirm(signedPayment);
  }

  cancel({ purchaseId }: Checkout): Promise<string> {
    return this.#buyer.cancel(purchaseId);
  }
}
