import { CORE_MESSAGES, type ErrorCode } from "../errors.ts";

/** What the rules read of a coupon. `usesTaken` counts held and used redemptions. */
export interface CouponFacts {
  toolId: string;
  isActive: boolean;
  usageLimit: number | null;
  usesTaken: number;
  expiresAt: Date | null;
}

type CouponRule = "not-found" | "inactive" | "limit-reached" | "expired";

/** 'lookup-failed': the coupon could not be read. A buyer can go on without it. */
export type CouponProblem = CouponRule | "lookup-failed";

const UNUSABLE = "Invalid, expired, or usage limit reached for this coupon code";

/** The error code of each problem, and the reason that is logged. */
export const COUPON_REFUSALS = {
  "not-found": { code: "coupon-not-found", reason: UNUSABLE },
  inactive: { code: "coupon-inactive", reason: UNUSABLE },
  "limit-reached": { code: "coupon-limit-reached", reason: "Coupon usage limit reached" },
  expired: { code: "coupon-expired", reason: UNUSABLE },
  "lookup-failed": { code: "coupon-lookup-failed", reason: CORE_MESSAGES["coupon-lookup-failed"] },
} as const satisfies Record<CouponProblem, { code: ErrorCode; reason: string }>;

/**
 * The first rule, in this order, that forbids a coupon for a tool now; null when it may be used. A coupon of another
 * tool is reported as not found, so that nobody learns that it exists.
 *
 * @param use.ownUses redemptions that the same buyer already holds for the same tool; the new one replaces them
 */
export function findCouponProblem(
  coupon: CouponFacts | null,
  use: { toolId: string; now: Date; ownUses: number },
): CouponRule | null {
  if (coupon === null || coupon.toolId !== use.toolId) return "not-found";
  if (!coupon.isActive) return "inactive";
  const usesOfOthers = coupon.usesTaken - use.ownUses;
  if (coupon.usageLimit !== null && usesOfOthers >= coupon.usageLimit) return "limit-reached";
  return coupon.expiresAt !== null && coupon.expiresAt <= use.now ? "expired" : null;
}
