import { uuidv7 } from "uuidv7";
import type { Context } from "#core/context.ts";
import type { ErrorCode } from "#core/errors.ts";
import { users } from "#db/tables/accounts.ts";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import type { Proof } from "../fake-gateway/control.ts";
import type { FakeShop } from "../fake-shop.ts";

/** What a world begins with. */
export interface WorldPlan {
  /** One stock a tool; the coupon is for the first. */
  stocks: readonly number[];
  coupon: { percent: number; limit: number };
  buyers: number;
}

export interface WorldTool {
  id: string;
  slug: string;
  name: string;
  stock: number;
}

export interface AskedCheckout {
  tool: WorldTool;
  option: string;
  coupon: string | null;
}

export interface Buyer {
  name: string;
  ctx: Context;
  userId: string;
  lastAsked: AskedCheckout | null;
  /** From the moment somebody begins to end the account: how the shop refuses its checkouts. */
  gone: { refusal: ErrorCode; since: Date } | null;
}

/** A checkout that the shop has shown to its buyer; without an order when there was nothing to pay. */
export interface ShownCheckout {
  name: string;
  buyer: Buyer;
  asked: AskedCheckout;
  purchaseId: string;
  orderId: string | null;
}

/** A buyer's try to pay; with a proof once the gateway has handed one to the browser. */
export interface TriedPayment {
  name: string;
  checkout: ShownCheckout;
  paymentId: string;
  proof: Proof | null;
}

/** One small shop with its buyers, apart from all others in the same database, and what people in it know. */
export interface World {
  shop: FakeShop;
  admin: Context;
  system: Context;
  tools: readonly WorldTool[];
  coupon: { id: string; code: string };
  buyers: readonly Buyer[];
  checkouts: ShownCheckout[];
  payments: TriedPayment[];
  /** Webhooks that will never be sent again. */
  lostEvents: Set<string>;
  /** Webhooks that the shop has answered well. */
  takenEvents: Set<string>;
  /** What was done, and how it ended. */
  trace: string[];
}

/** What the browser sends of a proof. */
export function asSent(proof: Proof) {
  return {
    orderId: proof.razorpay_order_id,
    paymentId: proof.razorpay_payment_id,
    signature: proof.razorpay_signature,
  };
}

export const OPTIONS = [
  { label: "7 Days", validityDays: 7, pricePaise: 4_900, originalPricePaise: null },
  { label: "30 Days", validityDays: 30, pricePaise: 14_900, originalPricePaise: null },
];

/** @param temper "patient" where nothing goes wrong on purpose, so that a slow machine is no fault of the gateway */
export async function createWorld(
  shop: FakeShop,
  plan: WorldPlan,
  temper: "hasty" | "patient" = "hasty",
): Promise<World> {
  shop.fake.webhooks.clear();
  shop.fake.webhooks.configure({ mode: "hold" });
  const now = shop.clock.now();
  const worldTools = plan.stocks.map((stock, index) => {
    const id = uuidv7();
    return { id, slug: `tool-${id}`, name: `tool ${index}`, stock };
  });
  const coupon = { id: uuidv7(), code: `C${uuidv7().toUpperCase()}` };
  const adminId = uuidv7();
  const buyers = Array.from({ length: plan.buyers }, (_, index) => newBuyer(shop, `buyer ${index}`, temper));
  await shop.db.insert(tools).values(
    worldTools.map(({ id, slug, name, stock }) => ({
      ...{ id, slug, name, description: "A tool.", pricePaise: 14_900, pricingOptions: OPTIONS },
      availableStock: stock,
    })),
  );
  await shop.db.insert(couponCodes).values({
    ...coupon,
    toolId: worldTools[0]?.id ?? "",
    discountPercentage: plan.coupon.percent,
    usageLimit: plan.coupon.limit,
  });
  await shop.db
    .insert(users)
    .values([
      { id: adminId, email: `${adminId}@example.com`, role: "admin" as const, createdAt: now },
      ...buyers.map(({ userId }) => ({ id: userId, email: `${userId}@example.com`, createdAt: now })),
    ]);
  return {
    shop,
    admin: shop.contextFor(signedIn("admin", adminId), temper),
    system: shop.contextFor({ kind: "system" }, temper),
    tools: worldTools,
    coupon,
    buyers,
    checkouts: [],
    payments: [],
    lostEvents: new Set(),
    takenEvents: new Set(),
    trace: [],
  };
}

function newBuyer(shop: FakeShop, name: string, temper: "hasty" | "patient"): Buyer {
  const userId = uuidv7();
  return {
    name,
    userId,
    ctx: shop.contextFor(signedIn("user", userId), temper),
    lastAsked: null,
    gone: null,
  };
}

function signedIn(kind: "user" | "admin", userId: string) {
  return { kind, userId, email: `${userId}@example.com`, sessionId: uuidv7() };
}

/** Counts from the latest on and round again, so that every number means something as long as there is anything. */
export function fromLatest<Item>(items: readonly Item[], back: number): Item | null {
  return items.length === 0 ? null : (items[items.length - 1 - (back % items.length)] ?? null);
}

export function inTurn<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}
