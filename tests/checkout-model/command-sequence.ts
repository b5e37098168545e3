import fc from "fast-check";
import * as buyer from "./buyer-commands.ts";
import type { Command } from "./command.ts";
import * as gateway from "./gateway-commands.ts";
import { closeThenPay } from "./late-payment-command.ts";
import type { InitialState } from "./model.ts";
import { renew } from "./renewal-command.ts";
import * as byHand from "./sale-by-hand-commands.ts";
import * as shop from "./shop-commands.ts";

const MAX_BATCH_SIZE = 5;

interface Step {
  command: Command;
  /** Runs in parallel with the step before it. */
  inParallel: boolean;
  /** After the start of the batch. */
  delayMs: number;
}

/** An initial state and the commands that run on it: batches one after the other, the steps of a batch in parallel. */
export class CommandSequence {
  readonly initialState: InitialState;
  readonly batches: readonly (readonly Step[])[];

  constructor(initialState: InitialState, steps: readonly Step[]) {
    this.initialState = initialState;
    this.batches = batchesOf(steps);
  }

  /** Number of commands. */
  get length(): number {
    return this.batches.reduce((sum, batch) => sum + batch.length, 0);
  }

  /** For failure reports. */
  toString(): string {
    const { stocks, coupon, buyers } = this.initialState;
    const lines = this.batches.map((batch, index) => {
      const descriptions = batch.map(({ command, delayMs }) =>
        delayMs > 0 ? `(${delayMs} ms later) ${command.description}` : command.description,
      );
      return `${index + 1}. ${descriptions.join("\n   | ")}`;
    });
    const coupons = `${coupon.limit} × ${coupon.percent} % off`;
    return `\nstock ${stocks.join(" and ")}, ${coupons}, ${buyers} buyers\n${lines.join("\n")}\n`;
  }
}

function batchesOf(steps: readonly Step[]): Step[][] {
  const batches: Step[][] = [];
  for (const step of steps) {
    if (step.command === nothing) continue;
    const last = batches.at(-1);
    if (last && step.inParallel && last.length < MAX_BATCH_SIZE) last.push(step);
    else batches.push([step]);
  }
  return batches;
}

/** A command that does not contribute to a failure shrinks to this. */
const nothing: Command = { description: "nothing", run: async () => null };

const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });

const command = fc.oneof(
  { withCrossShrink: true },
  weighted(1, fc.constant(nothing)),
  weighted(18, buyer.checkout),
  weighted(5, buyer.payInSecondTab),
  weighted(12, renew),
  weighted(34, gateway.pay),
  weighted(12, buyer.confirm),
  weighted(9, gateway.deliverWebhooks),
  weighted(10, shop.runJob),
  weighted(6, gateway.progressPayment),
  weighted(6, gateway.injectFault),
  weighted(5, shop.advanceClock),
  weighted(5, buyer.closeCheckout),
  weighted(8, shop.cancelByAdmin),
  weighted(5, gateway.refundOnGatewayPages),
  weighted(5, shop.settleInParallel),
  weighted(7, closeThenPay),
  weighted(2, shop.deleteBuyer),
  weighted(1, shop.disableBuyer),
  weighted(3, gateway.loseWebhooks),
  weighted(7, gateway.processRefundsAtBank),
  weighted(4, gateway.finishPendingRefund),
  weighted(6, gateway.dispute),
  weighted(5, gateway.moveDispute),
  weighted(4, gateway.disputeDuplicate),
  weighted(9, byHand.sellPassByHand),
  weighted(5, byHand.sellOpenCheckoutByHand),
  weighted(7, byHand.cancelSaleByHand),
  weighted(3, byHand.givePayout),
  weighted(2, buyer.pollStatus),
  weighted(2, buyer.forgeConfirmation),
  weighted(1, gateway.forgeWebhook),
  weighted(1, shop.setCouponActive),
);

const stepsOf = (commands: fc.Arbitrary<Command>, length: { min: number; max: number }) =>
  fc.array(
    fc.record({ command: commands, inParallel: fc.boolean(), delayMs: fc.constantFrom(0, 0, 0, 1, 4) }),
    { minLength: length.min, maxLength: length.max, size: "max" },
  );

const stock = fc.constantFrom(1, 1, 2, 3, 4);

const initialState = fc.record({
  stocks: fc.oneof(fc.tuple(stock), fc.tuple(stock), fc.tuple(stock, stock)),
  coupon: fc.record({ percent: fc.constantFrom(20, 20, 100), limit: fc.constantFrom(1, 1, 2) }),
  buyers: fc.integer({ min: 2, max: 4 }),
});

/** Sequences of 6 to `maxCommands` commands. The first ones start checkouts: other commands need them. */
export const commandSequences = (maxCommands: number): fc.Arbitrary<CommandSequence> =>
  fc
    .tuple(
      initialState,
      stepsOf(buyer.checkout, { min: 2, max: 4 }),
      stepsOf(command, { min: 4, max: maxCommands - 4 }),
    )
    .map(([state, opening, rest]) => new CommandSequence(state, [...opening, ...rest]));
