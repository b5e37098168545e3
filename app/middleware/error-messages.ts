import { DomainError, type ErrorCode, InvalidInputError, isDatabaseUnavailable } from "#core/errors.ts";

/** What a refusal becomes on the way out: an HTTP status, a sentence, and the form fields it belongs to. */
export interface Words {
  status: number;
  message: string;
  fields?: Record<string, string[]>;
}

type Details = DomainError["details"];

interface Phrase {
  status: number;
  message: string | ((details: Details) => string);
  /** The form field the message stands under. */
  field?: string;
}

export const SOMETHING_WENT_WRONG = "Something went wrong. Please try again.";

/** Said while the database cannot be reached. */
export const DATABASE_UNAVAILABLE: Words = {
  status: 503,
  message:
    "The shop cannot reach its database right now. Please try again in a moment. If you have paid, your payment is not lost.",
};

/** In seconds. */
export const RETRY_SOON = { "retry-after": "5" };

const PHRASES: Record<ErrorCode, Phrase> = {
  unauthenticated: { status: 401, message: "Please sign in to continue" },
  forbidden: { status: 403, message: "You are not allowed to do this." },
  "invalid-input": { status: 422, message: "Please check what you entered." },
  "not-found": { status: 404, message: "This does not exist, or no longer." },
  "sign-in-rate-limited": {
    status: 429,
    message: "Too many failed sign-in attempts. Please try again later.",
  },
  "sign-up-rate-limited": {
    status: 429,
    message: "Too many new accounts from your network. Please try again in an hour.",
  },
  "reset-rate-limited": {
    status: 429,
    message: "Too many password resets from your network. Please try again later.",
  },

  "email-in-use": {
    status: 409,
    message: "This email is already in use. Try signing in instead.",
    field: "email",
  },
  "invalid-email": { status: 422, message: "Please enter a valid email address.", field: "email" },
  "user-disabled": {
    status: 403,
    message: "This account has been disabled. Please contact support.",
  },
  "user-not-found": {
    status: 401,
    message: "No account found with this email. Please check your email or sign up.",
    field: "email",
  },
  "wrong-password": {
    status: 401,
    message: "Incorrect password. Please try again.",
    field: "password",
  },
  "weak-password": {
    status: 422,
    message: ({ minimum = 6 }) => `Password should be at least ${minimum} characters.`,
    field: "password",
  },
  "common-password": {
    status: 422,
    message: "This password is one of the most common ones. Please choose another.",
    field: "password",
  },
  "sign-in-method-disabled": {
    status: 403,
    message: "This sign-in method is not enabled. Please contact support.",
  },
  "sign-in-busy": {
    status: 503,
    message: "Many people are signing in right now. Please try again in a few seconds.",
  },
  "invalid-admin-credentials": { status: 403, message: "Invalid admin credentials" },
  "invalid-credentials": { status: 401, message: "Invalid credentials" },
  "invalid-reset-link": {
    status: 410,
    message: "This link has been used or has expired. Please request a new one.",
  },

  "tool-not-found": { status: 404, message: "Tool not found" },
  "option-not-found": {
    status: 409,
    message: "This option is no longer on offer. Please choose another.",
  },
  "tool-out-of-stock": { status: 409, message: "Tool is out of stock" },
  "already-owned": { status: 409, message: "You already have access to this tool!" },
  "contact-only": {
    status: 409,
    message: "This tool is sold through our chat. Please contact us there.",
  },
  "tool-is-free": { status: 409, message: "This tool is free. Open it from the home page." },
  "payments-not-set-up": {
    status: 503,
    message: "Payments are not set up in this shop yet. You were not charged.",
  },
  "gateway-unavailable": {
    status: 503,
    message: "The payment service cannot be reached right now. You were not charged. Please try again.",
  },
  "payment-not-verified": { status: 402, message: "Payment failed. Please try again." },
  "purchase-not-found": { status: 404, message: "Purchase not found" },
  "checkout-ended": {
    status: 409,
    message: "This checkout has ended. If you were charged, you are refunded automatically.",
  },
  "too-many-checkouts": {
    status: 429,
    message: ({ limit = 3 }) =>
      `You have ${limit} checkouts open. Finish or close one of them, or wait 15 minutes.`,
  },
  "too-many-checkouts-here": {
    status: 429,
    message: "Many checkouts are open from your network. Please try again in a few minutes.",
  },
  "checkouts-too-fast": {
    status: 429,
    message: "You started many checkouts in a short time. Please wait a few minutes.",
  },

  "coupon-not-found": { status: 404, message: "Invalid coupon code", field: "coupon" },
  "coupon-inactive": { status: 409, message: "This coupon is no longer active", field: "coupon" },
  "coupon-limit-reached": {
    status: 409,
    message: "This coupon has reached its usage limit",
    field: "coupon",
  },
  "coupon-expired": { status: 409, message: "This coupon has expired", field: "coupon" },
  "coupon-used-up": {
    status: 409,
    message: "Coupon usage limit has been reached",
    field: "coupon",
  },
  "coupon-missing": { status: 404, message: "Coupon not found" },
  "coupon-lookup-failed": { status: 503, message: "Error validating coupon", field: "coupon" },
  "coupon-tries-exceeded": {
    status: 429,
    message: "Too many codes were tried. Please wait a few minutes.",
    field: "coupon",
  },

  "access-required": { status: 403, message: "Access Required" },
  "access-code-not-found": {
    status: 404,
    message: ({ server = "this server" }) => `No access code found for ${server}`,
  },
};

/** The one place where refusals meet words. Anything that is not a refusal of the shop says only that it failed. */
export function toErrorMessage(error: unknown): Words {
  if (!(error instanceof DomainError)) {
    return isDatabaseUnavailable(error)
      ? DATABASE_UNAVAILABLE
      : { status: 500, message: SOMETHING_WENT_WRONG };
  }
  const { status, message, field } = PHRASES[error.code];
  if (error instanceof InvalidInputError) {
    const { "": _whole, ...fields } = error.fields;
    const [first] = Object.values(fields).flat();
    return { status, message: first ?? String(message), fields };
  }
  const words = typeof message === "function" ? message(error.details) : message;
  return field === undefined
    ? { status, message: words }
    : { status, message: words, fields: { [field]: [words] } };
}

/** The name of an error in a JSON answer: the refusal's own, `unavailable` without a database, else `otherwise`. */
export function codeFor(error: unknown, otherwise: string): string {
  if (error instanceof DomainError) return error.code;
  return isDatabaseUnavailable(error) ? "unavailable" : otherwise;
}

/** Tells when to ask again, where the refusal says so or the database is unavailable. */
export function retryHeaders(error: unknown): Record<string, string> {
  const seconds = error instanceof DomainError ? error.details.retryAfterSeconds : undefined;
  if (seconds !== undefined) return { "retry-after": String(seconds) };
  return isDatabaseUnavailable(error) ? RETRY_SOON : {};
}
