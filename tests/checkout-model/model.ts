import { uuidv7 } from "uuidv7";
import type { AuthorisedContext } from "#core/authorise.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import type { SignedPayment } from "../fake-gateway/control.ts";
import type { FakeGatewayShop } from "../fixtures/fake-gateway-shop.ts";
import { withRecentPassword } from "../fixtures/open-test-shop.ts";

/** State before the first command. */
export interface InitialState {
  /** Stock of each tool. The coupon is for the first tool. */
  stocks: readonly number[];
  coupon: { percent: number; limit: number };
  buyers: number;
}

export interface ModelTool {
  id: string;
  slug: string;
  name: string;
  stock: number;
}

export interface CheckoutRequest {
  tool: ModelTool;
  option: string;
  coupon: string | null;
  /** The buyer adds to the end of the pass. */
  renewal: boolean;
}

export interface Buyer {
  name: string;
  ctx: AuthorisedContext;
  userId: string;
  lastRequest: CheckoutRequest | null;
  /** Set as soon as the account begins to end: by being disabled or deleted, or first one and then the other. */
  accountEndedAt: Date | null;
}

/** A checkout that the shop has started, or a sale by hand; `gatewayOrderId` is null when there was nothing to pay in the shop. */
export interface StartedCheckout {
  name: string;
  buyer: Buyer;
  request: CheckoutRequest;
  purchaseId: string;
  gatewayOrderId: string | null;
}

/** `signedPayment` is set once the gateway has given it to the browser. */
export interface PaymentAttempt {
  name: string;
  checkout: StartedCheckout;
  paymentId: string;
  signedPayment: SignedPayment | null;
}

/** What an admin has recorded as paid by hand, and as given back. */
export interface SaleByHand {
  name: string;
  amountPaise: number;
  givenBackPaise: number;
}

/**
 * What the commands know of the system under test. Each model has its own tools, coupon and buyers, so that many share
 * one database.
 */
export interface Model {
  /** The system under test. */
  shop: FakeGatewayShop;
  admin: AuthorisedContext;
  system: AuthorisedContext;
  tools: readonly ModelTool[];
  coupon: { id: string; code: string };
  buyers: readonly Buyer[];
  checkouts: StartedCheckout[];
  payments: PaymentAttempt[];
  /** By the id of the purchase. */
  salesByHand: Map<string, SaleByHand>;
  /** The gateway's ids of all disputes. */
  disputeIds: string[];
  /** Webhook events that are never sent again. */
  lostEventIds: Set<string>;
  /** Webhook events that the shop has accepted. */
  acceptedEventIds: Set<string>;
  /** The commands that ran, with their results, for failure reports. */
  trace: string[];
}

/** What the browser sends to confirm a payment. */
export function toConfirmInput(signedPayment: SignedPayment) {
  return {
    gatewayOrderId: signedPayment.razorpay_order_id,
    gatewayPaymentId: signedPayment.razorpay_payment_id,
    signature: signedPayment.razorpay_signature,
  };
}

export const OPTIONS = [
  { label: "7 Days", validityDays: 7, pricePaise: 4_900, originalPricePaise: null },
  { label: "30 Days", validityDays: 30, pricePaise: 14_900, originalPricePaise: null },
];

/** @param retries "retry" for tests without injected faults, so that a slow machine causes no timeout */
export async function createModel(
  shop: FakeGatewayShop,
  initialState: InitialState,
  retries: "no-retry" | "retry" = "no-retry",
): Promise<Model> {
  shop.fake.webhooks.clear();
  shop.fake.webhooks.configure({ mode: "hold" });
  const now = shop.clock.now();
  const modelTools = initialState.stocks.map((stock, index) => {
    const id = uuidv7();
    return { id, slug: `tool-${id}`, name: `tool ${index}`, stock };
  });
  const coupon = { id: uuidv7(), code: `C${uuidv7().toUpperCase()}` };
  const adminId = uuidv7();
  const buyers = Array.from({ length: initialState.buyers }, (_, index) =>
    newBuyer(shop, `buyer ${index}`, retries),
  );
  await shop.db.insert(tools).values(
    modelTools.map(({ id, slug, name, stock }) => ({
      id,
      slug,
      name,
      description: "A tool.",
      pricePaise: 14_900,
      pricingOptions: OPTIONS,
      availableStock: stock,
      sellsWhenNotReady: true,
    })),
  );
  await shop.db.insert(couponCodes).values({
    ...coupon,
    toolId: modelTools[0]?.id ?? "",
    discountPercentage: initialState.coupon.percent,
    usageLimit: initialState.coupon.limit,
  });
  await shop.db
    .insert(users)
    .values([
      { id: adminId, email: `${adminId}@example.com`, role: "admin" as const, createdAt: now },
      ...buyers.map(({ userId }) => ({ id: userId, email: `${userId}@example.com`, createdAt: now })),
    ]);
  return {
    shop,
    admin: shop.contextFor(withRecentPassword(signedIn("admin", adminId), shop.clock), retries),
    system: shop.contextFor({ kind: "system" }, retries),
    tools: modelTools,
    coupon,
    buyers,
    checkouts: [],
    payments: [],
    salesByHand: new Map(),
    disputeIds: [],
    lostEventIds: new Set(),
    acceptedEventIds: new Set(),
    trace: [],
  };
}

function newBuyer(shop: FakeGatewayShop, name: string, retries: "no-retry" | "retry"): Buyer {
  const userId = uuidv7();
  return {
    name,
    userId,
    ctx: shop.contextFor(signedIn("user", userId), retries),
    lastRequest: null,
    accountEndedAt: null,
  };
}

function signedIn(kind: "user" | "admin", userId: string) {
  return { kind, userId, email: `${userId}@example.com`, sessionId: uuidv7() };
}

/** Counts back from the latest item, modulo the length. Null when the list is empty. */
export function pickFromLatest<Item>(items: readonly Item[], back: number): Item | null {
  return items.length === 0 ? null : (items[items.length - 1 - (back % items.length)] ?? null);
}

/** Two buyers, one tool with a single unit, and a coupon of 20 % with a single use. Without injected faults. */
export async function createScarceModel(shop: FakeGatewayShop) {
  const state: InitialState = { stocks: [1], coupon: { percent: 20, limit: 1 }, buyers: 2 };
  const model = await createModel(shop, state, "retry");
  const { buyers, tools } = model;
  return {
    model,
    tool: pickByIndex(tools, 0),
    buyer: pickByIndex(buyers, 0),
    other: pickByIndex(buyers, 1),
  };
}

export function pickByIndex<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}
