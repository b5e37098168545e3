import type { Cancellation } from "#core/payments/describe-cancellation.server.ts";

type State = Cancellation["state"];

/** What the cancellation of a purchase ends. */
export function describeEnd(state: State): string {
  switch (state) {
    case "active":
      return "The access ends at once and for good. The unit goes back into stock.";
    case "expired":
      return "This pass has already expired. If you cancel it, it can no longer be extended.";
    case "held":
      return "The buyer is paying. The checkout ends at once; a payment that arrives anyway is refunded.";
    case "hold-released":
    case "replaced":
      return "Nothing was paid. If you cancel it, a late payment is refunded.";
    case "refunded":
    case "revoked":
      return "This purchase has already ended.";
  }
}

/** Whether there is nothing left to end. */
export function isOver(state: State): boolean {
  return state === "revoked" || state === "refunded";
}
