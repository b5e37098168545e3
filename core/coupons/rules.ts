/** What the rules look at. `usesTaken` counts held and used uses together. */
export interface CouponFacts {
  toolId: string;
  isActive: boolean;
  usageLimit: number | null;
  usesTaken: number;
  expiresAt: Date | null;
}

export type CouponProblem = "not-found" | "inactive" | "limit-reached" | "expired";

/**
 * Why a coupon cannot be used for a tool now, the first that applies in this order; null when it can. A coupon of another
 * tool is not found: nobody learns of it here.
 *
 * @param use.ownUses uses of it that the same buyer holds for the same tool: those are taken over, not added
 */
export function findCouponProblem(
  coupon: CouponFacts | null,
  use: { toolId: string; now: Date; ownUses: number },
): CouponProblem | null {
  if (coupon === null || coupon.toolId !== use.toolId) return "not-found";
  if (!coupon.isActive) return "inactive";
  const taken = coupon.usesTaken - use.ownUses;
  if (coupon.usageLimit !== null && taken >= coupon.usageLimit) return "limit-reached";
  return coupon.expiresAt !== null && coupon.expiresAt <= use.now ? "expired" : null;
}

/** The data layer's own words for it, for logs and whoever asks for more than the buyer is told. */
export function couponReason(problem: CouponProblem | "lookup-failed"): string {
  if (problem === "limit-reached") return "Coupon usage limit reached";
  if (problem === "lookup-failed") return "Error validating coupon";
  return "Invalid, expired, or usage limit reached for this coupon code";
}
