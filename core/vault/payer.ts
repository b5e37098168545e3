/** What the gateway reports about who paid, and what the banks call the payment. null: not reported. */
export interface Payer {
  email: string | null;
  phone: string | null;
  /** The UPI address. */
  vpa: string | null;
  /** The reference of UPI and of cards, which apps show as UTR. */
  rrn: string | null;
  upiTransactionId: string | null;
  bankTransactionId: string | null;
}
