import type { Refund } from "#db/tables/payments.ts";

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

/** The next state, or null when the event changes nothing. An old response changes no final state. */
const TABLE: Record<RefundState, Record<RefundEvent, RefundState | null>> = {
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
  return TABLE[state][event];
}

/** The states that an event changes, for the condition of a statement. */
export function refundStatesChangedBy(event: RefundEvent): RefundState[] {
  return (Object.keys(TABLE) as RefundState[]).filter((state) => TABLE[state][event] !== null);
}

/** The states of refunds that the gateway has not finished. */
export const UNFINISHED_REFUND_STATES = refundStatesChangedBy("gateway-processed");
