import { PASSWORD_MINIMUM } from "#core/accounts/form-rules.ts";
import { HOLD_MS, HOLDS_PER_ACCOUNT } from "#core/checkout/limits.ts";
import { CONNECTIONS_PER_DAY, DEFAULT_DEVICE_RULES, RELEASE_PERIOD_DAYS } from "#core/devices/rules.ts";
import {
  CORE_MESSAGES,
  DomainError,
  type ErrorCode,
  InvalidInputError,
  isDatabaseUnavailable,
} from "#core/errors.ts";
import { LIMITS } from "#core/limits.ts";
import { MINUTE } from "#core/time.ts";

/** How a response reports an error: its HTTP status, the message for a person, and messages by form field. */
interface ErrorMessage {
  status: number;
  message: string;
  fields?: Record<string, string[]>;
}

type Details = DomainError["details"];

interface MessageRule {
  status: number;
  message: string | ((details: Details) => string);
  /** The form field that the message is shown under. */
  field?: string;
}

export const SOMETHING_WENT_WRONG = "Something went wrong. Please try again.";

export const DATABASE_UNAVAILABLE: ErrorMessage = {
  status: 503,
  message:
    "The shop cannot reach its database right now. Please try again in a moment. If you have paid, your payment is not lost.",
};

/** The header's value is in seconds. */
export const RETRY_SOON = { "retry-after": "5" };

/** One message for each error code. Its numbers come from the constants of the rules, or from the error's details. */
const MESSAGES: Record<ErrorCode, MessageRule> = {
  unauthenticated: { status: 401, message: "Please sign in to continue" },
  forbidden: { status: 403, message: "You are not allowed to do this." },
  "invalid-input": { status: 422, message: "Please check what you entered." },
  "not-found": { status: 404, message: "This no longer exists. Please reload the page." },
  "changed-meanwhile": {
    status: 409,
    message:
      "Somebody else has changed this in the meantime. Nothing was saved. Close this form, open it again and repeat your change.",
  },
  "sign-in-rate-limited": {
    status: 429,
    message: "Too many failed sign-in attempts. Please try again later.",
  },
  "sign-up-rate-limited": {
    status: 429,
    message: `Too many new accounts from your network. Please try again in ${formatHours(LIMITS["sign-up-address"].windowSeconds)}.`,
  },
  "reset-rate-limited": {
    status: 429,
    message: "Too many password resets. Please try again later.",
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
    message: ({ minimum = PASSWORD_MINIMUM }) => `Password should be at least ${minimum} characters.`,
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
  "sign-in-cancelled": { status: 403, message: "Sign-in cancelled. Please try again." },
  "authentication-failed": {
    status: 403,
    message: ({ message = "An error occurred during authentication. Please try again." }) => String(message),
  },
  "email-not-verified": {
    status: 403,
    message: "Google has not verified this email address yet. Please sign in with email and password.",
  },
  "password-sign-in-only": {
    status: 403,
    message: "Please sign in to this account with email and password.",
  },
  "google-email-differs": {
    status: 409,
    message: "You are signed in with another email. Choose the Google account with the same address.",
  },
  "google-needs-password": {
    status: 403,
    message:
      "This email already has an account. Please sign in with your password first, then connect Google on your account page.",
  },
  "google-account-differs": {
    status: 409,
    message: "This email is linked to a different Google account. Please contact support.",
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
  "changes-too-fast": {
    status: 429,
    message: "You made many changes in a short time. Please wait a while.",
  },

  "password-needed": {
    status: 403,
    message: "Please enter your password to continue.",
    field: "password",
  },

  "tool-name-taken": { status: 409, message: "Another tool has this name.", field: "name" },

  "tool-not-found": { status: 404, message: CORE_MESSAGES["tool-not-found"] },
  "option-not-found": {
    status: 409,
    message: "This option is no longer on offer. Please choose another.",
  },
  "tool-out-of-stock": { status: 409, message: "Tool is out of stock" },
  "already-owned": { status: 409, message: "You already have access to this tool!" },
  "contact-only": {
    status: 409,
    message: "This tool is sold on WhatsApp. Please message us there.",
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
  "purchase-not-found": { status: 404, message: CORE_MESSAGES["purchase-not-found"] },
  "checkout-ended": {
    status: 409,
    message: "This checkout has ended. If you were charged, you are refunded automatically.",
  },
  "too-many-checkouts": {
    status: 429,
    message: ({ limit = HOLDS_PER_ACCOUNT }) =>
      `You have ${limit} checkouts open. Finish or close one of them, or wait ${HOLD_MS / MINUTE} minutes.`,
  },
  "too-many-checkouts-here": {
    status: 429,
    message: "Many checkouts are open from your network. Please try again in a few minutes.",
  },
  "checkouts-too-fast": {
    status: 429,
    message: "You started many checkouts in a short time. Please wait a few minutes.",
  },

  "coupon-not-found": { status: 404, message: CORE_MESSAGES["coupon-not-found"], field: "coupon" },
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
  "coupon-code-taken": { status: 409, message: "Another coupon has this code.", field: "code" },
  "coupon-missing": { status: 404, message: "Coupon not found" },
  "coupon-lookup-failed": { status: 503, message: CORE_MESSAGES["coupon-lookup-failed"], field: "coupon" },
  "coupon-tries-exceeded": {
    status: 429,
    message: "Too many codes were tried. Please wait a few minutes.",
    field: "coupon",
  },

  "no-giveaway": { status: 404, message: "There is no giveaway today." },
  "giveaway-ended": {
    status: 409,
    message: "This giveaway has ended. Please reload the page to see today's.",
  },
  "giveaway-taken": { status: 409, message: "Somebody else was faster. Today's pass has been claimed." },
  "claims-too-fast": {
    status: 429,
    message: "You tried many times in a short time. Please wait a few minutes.",
  },

  "pass-not-changeable": {
    status: 409,
    message: "Only a completed purchase that has not ended can be changed.",
  },
  "pass-overlap": {
    status: 409,
    message: "The user has another pass for this tool in that time.",
  },

  "access-required": { status: 403, message: "Access Required" },
  "access-code-not-found": {
    status: 404,
    message: ({ server = "this server" }) => `No access code found for ${server}`,
  },
  "access-code-not-redeemable": {
    status: 404,
    message: "No access code found, or you have no active pass for it.",
  },
  "device-not-connected": {
    status: 401,
    message: "This browser is not connected. Open the tool's page in the shop and press Click on a server.",
  },
  "invalid-ticket": {
    status: 403,
    message: "This browser could not be connected in time. Press Click on a server again.",
  },
  "device-limit-reached": { status: 403, message: "Maximum installations exceeded" },
  "device-connections-exceeded": {
    status: 429,
    message: `At most ${CONNECTIONS_PER_DAY} new installations can be connected in a day. Please try again tomorrow.`,
  },
  "device-releases-exceeded": {
    status: 429,
    message: ({ limit = DEFAULT_DEVICE_RULES.releasesPerPeriod }) =>
      `At most ${limit} devices can be released in ${RELEASE_PERIOD_DAYS} days. Please contact support.`,
  },
  "redemptions-too-fast": {
    status: 429,
    message: "Too many codes were redeemed in a short time. Please wait a few minutes.",
  },
  "status-requests-too-fast": {
    status: 429,
    message: "Your passes were loaded many times in a short time. Please wait a minute.",
  },
  "renames-too-fast": {
    status: 429,
    message: "You renamed devices many times in a short time. Please wait a while.",
  },
  "credential-not-found": {
    status: 404,
    message: ({ tool = "this tool" }) => `No credentials found for ${tool}. Please contact support.`,
  },
  "reveals-too-fast": {
    status: 429,
    message: "You asked for many codes in a short time. Please wait a few minutes.",
  },
  "reports-too-fast": {
    status: 429,
    message: "You sent many reports in a short time. Please wait a while.",
  },
  "access-code-taken": { status: 409, message: "This simple code is already in use.", field: "simpleCode" },
  "credential-taken": {
    status: 409,
    message: "There is already a credential with this service and email.",
    field: "email",
  },
};

/** The message for an error. A fault gets a message without its details. */
export function toErrorMessage(error: unknown): ErrorMessage {
  if (!(error instanceof DomainError)) {
    return isDatabaseUnavailable(error)
      ? DATABASE_UNAVAILABLE
      : { status: 500, message: SOMETHING_WENT_WRONG };
  }
  const { status, field } = MESSAGES[error.code];
  const message = messageForCode(error.code, error.details);
  if (error instanceof InvalidInputError) {
    const { "": _wholeInput, ...fields } = error.fields;
    const [firstMessage] = Object.values(fields).flat();
    return { status, message: firstMessage ?? message, fields };
  }
  return field === undefined ? { status, message } : { status, message, fields: { [field]: [message] } };
}

/** The message for an error code, for screens that show it without an error of the server. */
export function messageForCode(code: ErrorCode, details: Details = {}): string {
  const { message } = MESSAGES[code];
  return typeof message === "function" ? message(details) : message;
}

/** The code of an error in a JSON response: the refusal's own, `unavailable` without a database, or `fallback`. */
export function toErrorCode(error: unknown, fallback: string): string {
  if (error instanceof DomainError) return error.code;
  return isDatabaseUnavailable(error) ? "unavailable" : fallback;
}

/** The Retry-After header, for a refusal that names its seconds and for an unavailable database. */
export function retryHeaders(error: unknown): Record<string, string> {
  const seconds = error instanceof DomainError ? error.details.retryAfterSeconds : undefined;
  if (seconds !== undefined) return { "retry-after": String(seconds) };
  return isDatabaseUnavailable(error) ? RETRY_SOON : {};
}

/** Whole hours as part of a sentence: "an hour", "2 hours". */
function formatHours(seconds: number): string {
  const hours = Math.ceil(seconds / 3600);
  return hours === 1 ? "an hour" : `${hours} hours`;
}
