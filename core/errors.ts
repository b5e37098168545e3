import { causedByUnavailableDatabase } from "#db/database-unavailable.ts";

/** The codes of all refusals. The app maps each code to a message. */
export type ErrorCode =
  | "unauthenticated"
  | "forbidden"
  | "invalid-input"
  | "not-found"
  /** An edit started from a version of the record that is no longer the current one. */
  | "changed-meanwhile"
  /** A bulk action would have more rows than it may have. */
  | "too-many-rows"
  /** A row that was chosen does not exist any more, or a search finds none. */
  | "rows-gone"
  /** A backup is running. */
  | "backup-running"
  /** Rate limits; details.retryAfterSeconds says when to try again. */
  | "sign-in-rate-limited"
  | "sign-up-rate-limited"
  | "reset-rate-limited"
  // accounts
  | "email-in-use"
  | "email-like-known"
  | "invalid-email"
  | "user-disabled"
  | "user-not-found"
  | "wrong-password"
  | "weak-password"
  | "common-password"
  /** It is the name of the shop or the account's own address. */
  | "guessable-password"
  /** The new password is the current one. */
  | "same-password"
  | "sign-in-method-disabled"
  /** The person has closed the sign-in of the provider, or refused it there. */
  | "sign-in-cancelled"
  /** The answer of the provider cannot be used; details.message is the reason that the provider gives, if any. */
  | "authentication-failed"
  | "identity-not-yet-valid"
  /** The provider has not verified the email. */
  | "email-not-verified"
  /** The account belongs to an admin, who signs in with a password. */
  | "password-sign-in-only"
  /** Somebody who is signed in has chosen a Google account with another address. */
  | "google-email-differs"
  /** Google is not authoritative for the address, so the account's password has to be entered first. */
  | "google-needs-password"
  /** The account is linked to another account of the provider. */
  | "google-account-differs"
  /** Too many passwords are being hashed; this one was not checked. */
  | "sign-in-busy"
  | "invalid-admin-credentials"
  | "invalid-credentials"
  | "invalid-reset-link"
  /** Changes of one's own account. */
  | "changes-too-fast"
  /** The admin has to enter the password again first. */
  | "password-needed"
  | "password-change-needed"
  /** The account has no password, and its sign-in with Google was too long ago. */
  | "google-sign-in-needed"
  /** The shop would have no admin any more. */
  | "last-admin"
  /** A deletion would end other passes or checkouts than its page has shown. */
  | "deletion-changed"
  | "downloads-too-fast"
  // catalogue
  | "tool-name-taken"
  // checkout
  | "tool-not-found"
  | "option-not-found"
  | "tool-out-of-stock"
  /** Nobody waits for a tool that can be bought. */
  | "tool-in-stock"
  | "stock-alerts-too-fast"
  /** Its signature is wrong. */
  | "reminder-link-invalid"
  | "already-owned"
  /** details.from: the first day on which the pass can be renewed. */
  | "renewal-too-early"
  /** A renewal of the pass waits for its end. */
  | "renewal-waiting"
  | "contact-only"
  | "tool-is-free"
  | "payments-not-set-up"
  /** The shop was restored from a backup, and no admin has confirmed yet that it is now the shop. */
  | "shop-not-confirmed"
  | "gateway-unavailable"
  | "payment-not-verified"
  | "purchase-not-found"
  | "checkout-ended"
  /** details.limit is the number of open checkouts that one account may have. */
  | "too-many-checkouts"
  | "too-many-checkouts-here"
  /** Buyers who have never bought hold their share of the units already. */
  | "units-being-paid-for"
  | "checkouts-too-fast"
  // coupons
  | "coupon-not-found"
  | "coupon-inactive"
  | "coupon-limit-reached"
  | "coupon-expired"
  | "coupon-lookup-failed"
  /** Another buyer took the last use between the check and the start of the checkout. */
  | "coupon-used-up"
  /** For admins: no coupon has this code. */
  | "coupon-missing"
  | "coupon-code-taken"
  | "coupon-tries-exceeded"
  // giveaway
  /** No tool is given away today. */
  | "no-giveaway"
  /** The claim is for a round that is over. */
  | "giveaway-ended"
  | "giveaway-taken"
  | "claims-too-fast"
  | "diagnostics-too-fast"
  // an admin's changes of passes
  /** The purchase is not completed, or it was ended. */
  | "pass-not-changeable"
  /** The user has another pass for the tool in the new time. */
  | "pass-overlap"
  /** Only the status of an imported purchase can be set. */
  | "purchase-not-imported"
  // payments of orders that a restored shop does not know
  | "payment-not-found"
  /** It was refunded, assigned or charged back; details.state says which. */
  | "payment-already-handled"
  /** A dispute of the payment is open: the bank may pay the buyer back too. */
  | "payment-disputed"
  // tool pages
  | "access-required"
  | "access-code-not-found"
  /** Every code for one buyer each is taken. */
  | "access-codes-used-up"
  /** The server has a code for each pass, and the access is without a pass. */
  | "access-code-for-passes"
  // devices
  /** The extension has to be connected again: no token, an unknown one, or the token of a released device. */
  | "device-not-connected"
  /** An unknown code, or one of a tool that the account may not use: the answer must not tell which codes exist. */
  | "access-code-not-redeemable"
  | "invalid-ticket"
  | "device-limit-reached"
  | "device-connections-exceeded"
  | "device-releases-exceeded"
  | "redemptions-too-fast"
  | "status-requests-too-fast"
  | "renames-too-fast"
  | "credential-not-found"
  | "reveals-too-fast"
  | "reports-too-fast"
  /** Another row has the same simple code. */
  | "access-code-taken"
  /** A pass has taken the code, so that it stays with its tool and server; or the pass has another code now. */
  | "access-code-in-use"
  | "access-code-replaced"
  /** Codes for all buyers and codes for one buyer each on one server. */
  | "server-has-shared-codes"
  | "server-has-codes-per-buyer"
  /** Another credential is for the same service and e-mail address. */
  | "credential-taken";

/** Messages of error codes that core uses too: its schemas for a field, its logs for a reason. */
export const CORE_MESSAGES = {
  "tool-not-found": "Tool not found",
  "purchase-not-found": "Purchase not found",
  "coupon-not-found": "Invalid coupon code",
  "coupon-lookup-failed": "Error validating coupon",
} as const satisfies Partial<Record<ErrorCode, string>>;

/** A refusal: a rule of the shop says no. It is expected, shown to the person, and never logged as an internal error. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  /** Values for the message, such as { server: "Server 1" } or { retryAfterSeconds: 30 }. Never secret. */
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

/** Input that does not match the schema of the operation. `fields` maps each invalid field to its messages. */
export class InvalidInputError extends DomainError {
  readonly fields: Readonly<Record<string, string[]>>;

  constructor(fields: Readonly<Record<string, string[]>>) {
    super("invalid-input");
    this.name = "InvalidInputError";
    this.fields = fields;
  }
}

/** Whether the error says that the database is unavailable, so the same request may succeed soon. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return causedByUnavailableDatabase(error);
}

export function isDomainError(error: unknown, code?: ErrorCode): error is DomainError {
  return error instanceof DomainError && (code === undefined || error.code === code);
}
