import type { WorksOn } from "#db/tables/catalog.ts";
import type { Refund } from "#db/tables/payments.ts";
import type { Purchase } from "#db/tables/purchases.ts";
import { DAY } from "../time.ts";

/** A refund for a purchase. */
export interface PassRefund {
  status: Refund["status"];
  amountPaise: number;
  /** When it got this status. */
  at: Date;
  /** The message for the buyer; null when there is none for the stored reason. */
  why: string | null;
}

/** A payment that was authorised and left uncaptured: the gateway returns it without a refund. */
export interface UncapturedPayment {
  amountPaise: number;
  /** When the shop decided not to capture it. */
  at: Date;
  why: string | null;
}

/** How long the return of an uncaptured payment can take, and is shown to the buyer. */
export const UNCAPTURED_RETURN_MS = 14 * DAY;

/** One purchase on the buyer's dashboard. */
export interface PassView {
  id: string;
  toolName: string;
  toolSlug: string | null;
  /** Whether the tool is in the catalogue. */
  onSale: boolean;
  /** Where the tool works; null without the tool. */
  worksOn: readonly WorksOn[] | null;
  /** What was bought or given, such as "30 Days". */
  optionLabel: string;
  source: Purchase["source"];
  startsAt: Date;
  expiresAt: Date;
  /**
   * Refunded: the buyer gets the money back instead of the pass; `refunds` have the progress. Not charged: the payment
   * was left uncaptured.
   */
  badge: "Active" | "Expired" | "Refunded" | "Cancelled" | "Not charged";
  endedReason: "refunded" | "cancelled" | "deleted" | "user-deleted" | null;
  amountPaise: number;
  /** When the payment was captured; null when none was, and for free passes. */
  paidAt: Date | null;
  /** Whether the gateway has reported an authorised or captured payment that is not left uncaptured. */
  paymentSeen: boolean;
  /** Oldest payment first. */
  refunds: readonly PassRefund[];
  /** The last payment that was left uncaptured. */
  uncapturedPayment: UncapturedPayment | null;
}
