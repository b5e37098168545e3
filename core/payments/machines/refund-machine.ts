import type { Refund } from "#db/tables/payments.ts";
import { type StateTable, statesChangedBy } from "./state-table.ts";

/**
 * requested: not sent yet · processing: the gateway has begun · processed: the buyer is paid · failed: the gateway gave
 * up.
 */
export type RefundState = Refund["status"];

export type RefundEvent =
  /** The gateway reports the refund with this status. */
  | "gateway-pending"
  | "gateway-processed"
  | "gateway-failed"
  /** A failed refund was made on the gateway's own pages. */
  | "completed-at-gateway"
  /** The gateway reports that the shop still has money of a processed refund. */
  | "reopened";

/** An old response changes no final state. */
export const REFUND_TABLE: StateTable<RefundState, RefundEvent> = {
  requested: {
    "gateway-pending": "processing",
    "gateway-processed": "processed",
    "gateway-failed": "failed",
    "completed-at-gateway": null,
    reopened: null,
  },
  processing: {
    "gateway-pending": null,
    "gateway-processed": "processed",
    "gateway-failed": "failed",
    "completed-at-gateway": null,
    reopened: null,
  },
  processed: {
    "gateway-pending": null,
    "gateway-processed": null,
    "gateway-failed": null,
    "completed-at-gateway": null,
    reopened: "requested",
  },
  failed: {
    "gateway-pending": null,
    "gateway-processed": null,
    "gateway-failed": null,
    "completed-at-gateway": "processed",
    reopened: null,
  },
};

/** The effect of an event on a refund; null: none. */
export function refundTransition(state: RefundState, event: RefundEvent): RefundState | null {
  return REFUND_TABLE[state][event];
}

/** The states of refunds that the gateway has not finished. */
export const UNFINISHED_REFUND_STATES = statesChangedBy(REFUND_TABLE, "gateway-processed");
