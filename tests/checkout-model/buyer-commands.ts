import fc from "fast-check";
import { confirmCheckout, refreshCheckoutStatus } from "#core/checkout/checkout-status.server.ts";
import { cancelCheckout } from "#core/checkout/end-checkout.server.ts";
import { startCheckout } from "#core/checkout/start-checkout.server.ts";
import { type ErrorCode, isDomainError } from "#core/errors.ts";
import { type Command, InvariantViolation } from "./command.ts";
import {
  type Buyer,
  type CheckoutRequest,
  type Model,
  OPTIONS,
  pickByIndex,
  pickFromLatest,
  toConfirmInput,
} from "./model.ts";

/** How far to count back in a list; see pickFromLatest. */
const smallIndex = fc.nat({ max: 5 });
const sometimes = fc.constantFrom(false, false, true);
const optionIndex = fc.nat({ max: OPTIONS.length - 1 });

export const CHECKOUT_REFUSALS: ErrorCode[] = [
  ...(["already-owned", "tool-out-of-stock", "checkout-ended", "gateway-unavailable"] as const),
  ...(["renewal-too-early", "renewal-waiting"] as const),
  ...(["coupon-not-found", "coupon-inactive", "coupon-used-up"] as const),
];

/** Starts a checkout and adds it to the model. @returns what was started */
export async function startAndTrack(model: Model, buyer: Buyer, request: CheckoutRequest): Promise<string> {
  buyer.lastRequest = request;
  const { tool, option, coupon, renewal } = request;
  try {
    const started = await startCheckout(buyer.ctx, { slug: tool.slug, option, coupon, renewal });
    const { purchaseId } = started;
    const gatewayOrderId = started.kind === "pay" ? started.gatewayOrderId : null;
    const existing = model.checkouts.find((checkout) => checkout.purchaseId === purchaseId);
    if (existing && existing.gatewayOrderId !== gatewayOrderId)
      throw new InvariantViolation(`${existing.name} was started with two orders`);
    const checkout = existing ?? {
      name: `checkout ${model.checkouts.length + 1}`,
      buyer,
      request,
      purchaseId,
      gatewayOrderId,
    };
    if (!existing) model.checkouts.push(checkout);
    return `${checkout.name} of ${buyer.name}, ${tool.name}, ${option}${coupon ? ", coupon" : ""}${renewal ? ", renewal" : ""}`;
  } catch (error) {
    const isRefused = isDomainError(error, "user-disabled") || isDomainError(error, "unauthenticated");
    if (buyer.accountEndedAt && isRefused) return "the account has ended";
    throw error;
  }
}

export const checkout = fc
  .record({ buyer: smallIndex, tool: fc.nat({ max: 1 }), option: optionIndex, coupon: sometimes })
  .map(
    ({ buyer, tool, option, coupon }): Command => ({
      description: `buyer ${buyer} starts a checkout of tool ${tool}, ${pickByIndex(OPTIONS, option).label}${coupon ? ", with the coupon" : ""}`,
      allowedRefusals: CHECKOUT_REFUSALS,
      run: (model) =>
        startAndTrack(model, pickByIndex(model.buyers, buyer), {
          tool: pickByIndex(model.tools, tool),
          option: pickByIndex(OPTIONS, option).label,
          coupon: coupon ? model.coupon.code : null,
          renewal: false,
        }),
    }),
  );

export const payInSecondTab = fc
  .record({ buyer: smallIndex, changes: fc.constantFrom("nothing", "option", "coupon") })
  .map(
    ({ buyer, changes }): Command => ({
      description: `buyer ${buyer} presses Pay in a second tab, with ${changes} changed`,
      allowedRefusals: CHECKOUT_REFUSALS,
      run: async (model) => {
        const payingBuyer = pickByIndex(model.buyers, buyer);
        const { lastRequest } = payingBuyer;
        if (!lastRequest) return null;
        const other = OPTIONS.find(({ label }) => label !== lastRequest.option)?.label ?? "";
        return startAndTrack(model, payingBuyer, {
          ...lastRequest,
          ...(changes === "option" ? { option: other } : {}),
          ...(changes === "coupon" ? { coupon: lastRequest.coupon ? null : model.coupon.code } : {}),
        });
      },
    }),
  );

export const closeCheckout = smallIndex.map(
  (back): Command => ({
    description: `the buyer closes the checkout ${back} back`,
    run: async (model) => {
      const checkout = pickFromLatest(model.checkouts, back);
      if (!checkout) return null;
      const { state } = await cancelCheckout(checkout.buyer.ctx, { purchaseId: checkout.purchaseId });
      return `${checkout.name}: ${state}`;
    },
  }),
);

export const pollStatus = smallIndex.map(
  (back): Command => ({
    description: `the waiting dialog of the checkout ${back} back polls its status`,
    run: async (model) => {
      const checkout = pickFromLatest(model.checkouts, back);
      if (!checkout) return null;
      const { state } = await refreshCheckoutStatus(checkout.buyer.ctx, { purchaseId: checkout.purchaseId });
      return `${checkout.name}: ${state}`;
    },
  }),
);

export const confirm = smallIndex.map(
  (back): Command => ({
    description: `the browser confirms the signed payment ${back} back`,
    run: async (model) => {
      const paid = pickFromLatest(selectConfirmInputs(model), back);
      if (!paid) return null;
      const { state } = await confirmCheckout(paid.checkout.buyer.ctx, paid.input);
      return `${paid.name}: ${state}`;
    },
  }),
);

export const forgeConfirmation = fc
  .record({
    back: smallIndex,
    other: smallIndex,
    how: fc.constantFrom("wrong signature", "another order's signature", "another buyer"),
  })
  .map(
    ({ back, other, how }): Command => ({
      description: `somebody confirms the signed payment ${back} back with ${how}`,
      run: async (model) => {
        const paid = pickFromLatest(selectConfirmInputs(model), back);
        if (!paid) return null;
        const { input } = paid;
        if (how === "wrong signature") {
          const signature = input.signature.replace(/./, (digit) => (digit === "0" ? "1" : "0"));
          return expectRefusal(paid.checkout.buyer, { ...input, signature }, "payment-not-verified");
        }
        if (how === "another buyer") {
          const otherBuyer = model.buyers.find((buyer) => buyer !== paid.checkout.buyer);
          return otherBuyer ? expectRefusal(otherBuyer, input, "purchase-not-found") : null;
        }
        const otherCheckouts = model.checkouts.filter(
          ({ gatewayOrderId }) => gatewayOrderId && gatewayOrderId !== input.gatewayOrderId,
        );
        const target = pickFromLatest(otherCheckouts, other);
        if (!target?.gatewayOrderId) return null;
        return expectRefusal(
          target.buyer,
          { ...input, gatewayOrderId: target.gatewayOrderId },
          "payment-not-verified",
        );
      },
    }),
  );

/** What browsers can send to confirm their payments, oldest first, with the checkout. */
const selectConfirmInputs = ({ payments }: Model) =>
  payments.flatMap(({ name, checkout, signedPayment }) =>
    signedPayment ? [{ name, checkout, input: toConfirmInput(signedPayment) }] : [],
  );

async function expectRefusal(
  buyer: Buyer,
  input: Parameters<typeof confirmCheckout>[1],
  code: ErrorCode,
): Promise<string> {
  try {
    const { state } = await confirmCheckout(buyer.ctx, input);
    throw new InvariantViolation(`a forged callback was accepted: ${state}`);
  } catch (error) {
    if (isDomainError(error, code)) return `refused: ${code}`;
    throw error;
  }
}
