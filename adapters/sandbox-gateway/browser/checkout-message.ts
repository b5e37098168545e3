/** The signed callback of a payment, which the shop verifies. */
export interface PaidAnswer {
  razorpay_payment_id: string;
  razorpay_order_id: string;
  razorpay_signature: string;
}

/** What the page of the checkout tells the page that frames it. */
export type CheckoutMessage =
  | { type: "ready" | "dismissed" }
  /** `answer` is the error of the payment. */
  | { type: "failed"; answer: unknown }
  | { type: "paid"; answer: PaidAnswer };
