import { causedByUnavailableDatabase } from "#db/database-unavailable.ts";

/**
 * Every way a verb can refuse. The words a person reads are chosen where errors meet the screen, by code.
 */
export type ErrorCode =
  | "unauthenticated"
  | "forbidden"
  | "invalid-input"
  | "not-found"
  /** Each limit refuses with its own code, and details.retryAfterSeconds says when to come back. */
  | "sign-in-rate-limited"
  | "sign-up-rate-limited"
  | "reset-rate-limited"
  // accounts
  | "email-in-use"
  | "invalid-email"
  | "user-disabled"
  | "user-not-found"
  | "wrong-password"
  | "weak-password"
  | "common-password"
  | "sign-in-method-disabled"
  /** Too many passwords are being checked at this moment; this one was not looked at. */
  | "sign-in-busy"
  | "invalid-admin-credentials"
  | "invalid-credentials"
  | "invalid-reset-link"
  // checkout
  | "tool-not-found"
  | "option-not-found"
  | "tool-out-of-stock"
  | "already-owned"
  | "contact-only"
  | "tool-is-free"
  | "payments-not-set-up"
  | "gateway-unavailable"
  | "payment-not-verified"
  | "purchase-not-found"
  | "checkout-ended"
  /** details.limit says how many one account may have open. */
  | "too-many-checkouts"
  | "too-many-checkouts-here"
  | "checkouts-too-fast"
  // coupons
  | "coupon-not-found"
  | "coupon-inactive"
  | "coupon-limit-reached"
  | "coupon-expired"
  | "coupon-lookup-failed"
  /** Its last use was taken between the check and the checkout. */
  | "coupon-used-up"
  /** For the admin: no such coupon. */
  | "coupon-missing"
  | "coupon-tries-exceeded"
  // tool pages
  | "access-required"
  | "access-code-not-found";

/** A refusal by a rule of the shop: expected, shown to the person, never logged as a fault. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  /** Facts for the words, such as { server: "Server 1" } or { retryAfterSeconds: 30 }. Never secret. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(
    code: ErrorCode,
    details: Readonly<Record<string, string | number>> = {},
    options?: ErrorOptions,
  ) {
    super(code, options);
    this.name = "DomainError";
    this.code = code;
    this.details = details;
  }
}

/** Input that does not fit the verb's schema; `fields` names each bad field with a sentence. */
export class InvalidInputError extends DomainError {
  readonly fields: Readonly<Record<string, string[]>>;

  constructor(fields: Readonly<Record<string, string[]>>) {
    super("invalid-input");
    this.name = "InvalidInputError";
    this.fields = fields;
  }
}

/** Whether an error means that the database could not be used at all, so that the same request may succeed in a moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return causedByUnavailableDatabase(error);
}

export function isDomainError(error: unknown, code?: ErrorCode): error is DomainError {
  return error instanceof DomainError && (code === undefined || error.code === code);
}
