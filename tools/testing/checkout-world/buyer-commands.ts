import fc from "fast-check";
import { cancelCheckout } from "#core/checkout/cancel-checkout.server.ts";
import { confirmCheckout } from "#core/checkout/confirm-checkout.server.ts";
import { refreshCheckoutStatus } from "#core/checkout/refresh-checkout-status.server.ts";
import { startCheckout } from "#core/checkout/start-checkout.server.ts";
import { type ErrorCode, isDomainError } from "#core/errors.ts";
import { type Command, Violation } from "./command.ts";
import { type AskedCheckout, asSent, type Buyer, fromLatest, inTurn, OPTIONS, type World } from "./world.ts";

const many = fc.nat({ max: 5 });
const sometimes = fc.constantFrom(false, false, true);
const optionIndex = fc.nat({ max: OPTIONS.length - 1 });

export const CHECKOUT_REFUSALS: ErrorCode[] = [
  ...(["already-owned", "tool-out-of-stock", "checkout-ended", "gateway-unavailable"] as const),
  ...(["coupon-not-found", "coupon-inactive", "coupon-used-up"] as const),
];

export async function start(world: World, buyer: Buyer, asked: AskedCheckout): Promise<string> {
  buyer.lastAsked = asked;
  const { tool, option, coupon } = asked;
  try {
    const started = await startCheckout(buyer.ctx, { slug: tool.slug, option, coupon });
    const { purchaseId } = started;
    const orderId = started.kind === "pay" ? started.orderId : null;
    const known = world.checkouts.find((checkout) => checkout.purchaseId === purchaseId);
    if (known && known.orderId !== orderId) throw new Violation(`${known.name} was shown with two orders`);
    const checkout = known ?? {
      ...{ name: `checkout ${world.checkouts.length + 1}`, buyer, asked, purchaseId, orderId },
    };
    if (!known) world.checkouts.push(checkout);
    return `${checkout.name} of ${buyer.name}, ${tool.name}, ${option}${coupon ? ", coupon" : ""}`;
  } catch (error) {
    if (buyer.gone && (isDomainError(error, buyer.gone.refusal) || isDomainError(error, "unauthenticated"))) {
      return "the account is gone";
    }
    throw error;
  }
}

export const checkout = fc
  .record({ buyer: many, tool: fc.nat({ max: 1 }), option: optionIndex, coupon: sometimes })
  .map(
    ({ buyer, tool, option, coupon }): Command => ({
      words: `buyer ${buyer} starts a checkout of tool ${tool}, ${inTurn(OPTIONS, option).label}${coupon ? ", with the coupon" : ""}`,
      refusals: CHECKOUT_REFUSALS,
      perform: (world) =>
        start(world, inTurn(world.buyers, buyer), {
          tool: inTurn(world.tools, tool),
          option: inTurn(OPTIONS, option).label,
          coupon: coupon ? world.coupon.code : null,
        }),
    }),
  );

export const secondTab = fc
  .record({ buyer: many, changes: fc.constantFrom("nothing", "option", "coupon") })
  .map(
    ({ buyer, changes }): Command => ({
      words: `buyer ${buyer} presses Pay in a second tab, with ${changes} changed`,
      refusals: CHECKOUT_REFUSALS,
      perform: async (world) => {
        const who = inTurn(world.buyers, buyer);
        const { lastAsked } = who;
        if (!lastAsked) return null;
        const other = OPTIONS.find(({ label }) => label !== lastAsked.option)?.label ?? "";
        return start(world, who, {
          ...lastAsked,
          ...(changes === "option" ? { option: other } : {}),
          ...(changes === "coupon" ? { coupon: lastAsked.coupon ? null : world.coupon.code } : {}),
        });
      },
    }),
  );

export const close = many.map(
  (back): Command => ({
    words: `the buyer closes the checkout ${back} back`,
    perform: async (world) => {
      const shown = fromLatest(world.checkouts, back);
      if (!shown) return null;
      const { state } = await cancelCheckout(shown.buyer.ctx, { purchaseId: shown.purchaseId });
      return `${shown.name}: ${state}`;
    },
  }),
);

export const look = many.map(
  (back): Command => ({
    words: `the waiting dialog of the checkout ${back} back asks`,
    perform: async (world) => {
      const shown = fromLatest(world.checkouts, back);
      if (!shown) return null;
      const { state } = await refreshCheckoutStatus(shown.buyer.ctx, { purchaseId: shown.purchaseId });
      return `${shown.name}: ${state}`;
    },
  }),
);

export const confirm = many.map(
  (back): Command => ({
    words: `the browser comes back with the proof ${back} back`,
    perform: async (world) => {
      const paid = fromLatest(proven(world), back);
      if (!paid) return null;
      const { state } = await confirmCheckout(paid.checkout.buyer.ctx, paid.sent);
      return `${paid.name}: ${state}`;
    },
  }),
);

export const forge = fc
  .record({
    back: many,
    other: many,
    how: fc.constantFrom("wrong signature", "another order's proof", "another buyer"),
  })
  .map(
    ({ back, other, how }): Command => ({
      words: `somebody sends the proof ${back} back with ${how}`,
      perform: async (world) => {
        const paid = fromLatest(proven(world), back);
        if (!paid) return null;
        const { sent } = paid;
        if (how === "wrong signature") {
          const signature = sent.signature.replace(/./, (digit) => (digit === "0" ? "1" : "0"));
          return refused(paid.checkout.buyer, { ...sent, signature }, "payment-not-verified");
        }
        if (how === "another buyer") {
          const thief = world.buyers.find((buyer) => buyer !== paid.checkout.buyer);
          return thief ? refused(thief, sent, "purchase-not-found") : null;
        }
        const elsewhere = world.checkouts.filter(({ orderId }) => orderId && orderId !== sent.orderId);
        const target = fromLatest(elsewhere, other);
        if (!target?.orderId) return null;
        return refused(target.buyer, { ...sent, orderId: target.orderId }, "payment-not-verified");
      },
    }),
  );

/** The proofs that browsers have, oldest first, with whose they are. */
const proven = ({ payments }: World) =>
  payments.flatMap(({ name, checkout, proof }) => (proof ? [{ name, checkout, sent: asSent(proof) }] : []));

async function refused(
  buyer: Buyer,
  sent: Parameters<typeof confirmCheckout>[1],
  code: ErrorCode,
): Promise<string> {
  try {
    const { state } = await confirmCheckout(buyer.ctx, sent);
    throw new Violation(`a forged callback was accepted: ${state}`);
  } catch (error) {
    if (isDomainError(error, code)) return `refused: ${code}`;
    throw error;
  }
}
