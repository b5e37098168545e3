import type { PromisedPayout } from "../payments/credits.server.ts";
import { DAY } from "../time.ts";

/** After this time a refund that is not finished is overdue. */
export const OVERDUE_AFTER_MS = DAY;
/** How long the admin sees late payments that are refunded because the tool was sold out. */
export const SOLD_OUT_WINDOW_MS = 7 * DAY;

/** A refund that failed at the gateway. */
export interface FailedRefund {
  id: string;
  /** The gateway's id. */
  paymentId: string;
  purchaseId: string;
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
  /** The oldest ten of `total`: refunds that the owner makes. They are never overdue. */
  promisedPayouts: { payouts: PromisedPayout[]; total: number };
  /** Captured payments without exactly one pass or refund, from the last ledger audit. */
  unaccounted: { number: number; paymentIds: string[] };
  /** Late payments within `SOLD_OUT_WINDOW_MS` that are refunded because the tool was sold out. */
  soldOut: Array<{ toolName: string; number: number; paise: number }>;
}
