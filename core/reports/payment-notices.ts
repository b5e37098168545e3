import type { PaymentDispute } from "#db/tables/payments.ts";
import type { PromisedPayout } from "../payments/credits.server.ts";
import { DAY } from "../time.ts";

/** After this time a refund that is not finished is overdue. */
export const OVERDUE_AFTER_MS = DAY;
/** How long the admin sees late payments that are refunded because the tool was sold out. */
export const SOLD_OUT_WINDOW_MS = 7 * DAY;

/** How long the admin sees disputes that were lost. */
export const LOST_DISPUTE_WINDOW_MS = 30 * DAY;

/** A dispute that is open, or was lost within `LOST_DISPUTE_WINDOW_MS`. */
export interface DisputeNotice
  extends Pick<
    PaymentDispute,
    "id" | "gatewayPaymentId" | "amountPaise" | "deductedPaise" | "status" | "respondBy"
  > {
  /** In the gateway's words; null: it gives none. */
  reason: string | null;
  /** null: the shop does not know the payment. */
  purchase: { id: string; toolName: string; email: string | null } | null;
  /** The bank reports fraud, and leaves the refund to the owner. */
  mustRefund: boolean;
  /** The payment was refunded and lost: more than was paid. */
  isLostTwice: boolean;
}

/** A refund that failed at the gateway. */
export interface FailedRefund {
  id: string;
  /** The gateway's id. */
  paymentId: string;
  toolName: string;
  /** null once the account is deleted. */
  email: string | null;
  /** What is still owed. */
  amountPaise: number;
}

/** Payments and refunds that need the admin's attention. */
export interface PaymentNotices {
  /** The oldest ten of `total`. */
  failedRefunds: { refunds: FailedRefund[]; total: number };
  /** Requested longer than `OVERDUE_AFTER_MS` ago and not finished. */
  overdueRefunds: { number: number; paise: number };
  /** The disputes with the earliest last day to answer, ten of `total`, then lost disputes. */
  disputes: { disputes: DisputeNotice[]; total: number };
  /** The oldest ten of `total`: refunds that the owner makes. They are never overdue. */
  promisedPayouts: { payouts: PromisedPayout[]; total: number };
  /** Captured payments without exactly one pass, refund or lost dispute, from the last ledger audit. */
  unaccounted: { number: number; paymentIds: string[] };
  /** Late payments within `SOLD_OUT_WINDOW_MS` that are refunded because the tool was sold out. */
  soldOut: Array<{ toolName: string; number: number; paise: number }>;
}

/** Whether the owner has to do something about a dispute. */
export const needsOwner = ({ status, mustRefund, isLostTwice }: DisputeNotice) =>
  status === "open" || mustRefund || isLostTwice;
