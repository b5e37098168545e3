/*
 * The names of the counters, as the triggers in db/migrations write them.
 */

export const USER_PROVIDERS = ["email", "google", "admin"] as const;

export type UserProvider = (typeof USER_PROVIDERS)[number];

/** Accounts that are not deleted. */
export function userCounters(provider: UserProvider, isActive: boolean): string {
  return `users.${provider}.${isActive ? "active" : "inactive"}`;
}

export const ALL_USER_COUNTERS = USER_PROVIDERS.flatMap((provider) => [
  userCounters(provider, true),
  userCounters(provider, false),
]);

/** Coupons that are not deleted. */
export const COUPONS = "coupons";

/**
 * Purchases that are not deleted. `completed` and `completedInTestMode` count passes that were not ended, by the
 * quarter of an hour of their end. Pending purchases that were not ended have no counter: they are few.
 */
export const PURCHASES = {
  failed: "purchases.failed",
  completed: "purchases.completed",
  completedInTestMode: "purchases.completed.test",
  pendingAndEnded: "purchases.pending.ended",
  failedAndEnded: "purchases.failed.ended",
  completedAndEnded: "purchases.completed.ended",
} as const;

export const ALL_PURCHASE_COUNTERS = Object.values(PURCHASES);

/** Captured payments less refunds, by the quarter of an hour of the capture. */
export const PAYMENTS = "payments";
export const TEST_PAYMENTS = "payments.test";
