import { PASSWORD_MINIMUM } from "#core/accounts/rules.ts";
import { HOLD_MS, HOLDS_PER_ACCOUNT, RENEWAL_DAYS } from "#core/checkout/hold-rules.ts";
import { CONNECTIONS_PER_DAY, DEFAULT_DEVICE_RULES, RELEASE_PERIOD_DAYS } from "#core/devices/rules.ts";
import { CORE_MESSAGES, type DomainError, type ErrorCode } from "#core/errors.ts";
import type { LimitName } from "#core/rate-limits/rate-limits.ts";
import { LIMITS } from "#core/rate-limits/rate-limits.ts";
import { MINUTE } from "#core/time.ts";
import { type Message, plural, t, translate } from "../ui/texts/texts.ts";

export type Details = DomainError["details"];

/** How a refusal is reported: its HTTP status and its message for a person. */
export interface MessageRule {
  status: number;
  message: string | ((details: Details) => string);
  /** The form field that the message is shown under. */
  field?: string;
}

/** The refusal of a limit: what there was too much of, and when its window has ended. */
function refusalOf(name: LimitName, attempts: Message, field?: string): MessageRule {
  const message = () =>
    t("Too many {attempts}. Please try again in {time}.", {
      attempts: translate(attempts),
      time: formatWindow(LIMITS[name].windowSeconds),
    });
  return field === undefined ? { status: 429, message } : { status: 429, message, field };
}

/** A time as part of a sentence: "a minute", "10 minutes", "an hour", "2 hours". */
function formatWindow(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return plural(minutes, "a minute", "{count} minutes");
  return plural(Math.ceil(minutes / 60), "an hour", "{count} hours");
}

/** Refusals of sign-in, sign-up and the password reset. */
export const ACCOUNT_MESSAGES = {
  "sign-in-rate-limited": {
    status: 429,
    message: "Too many failed sign-in attempts. Please try again later.",
  },
  "sign-up-rate-limited": refusalOf("sign-up-address", "new accounts from your network"),
  "reset-rate-limited": refusalOf("reset-account", "password resets"),
  "email-in-use": {
    status: 409,
    message: "This email is already in use. Try signing in instead.",
    field: "email",
  },
  "email-like-known": {
    status: 409,
    message: ({ email = "" }: Details) =>
      t("You have signed in here as {email}. Is this another address? Then press the button again.", {
        email,
      }),
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
    message: ({ minimum = PASSWORD_MINIMUM }: Details) =>
      t("Password should be at least {minimum} characters.", { minimum }),
    field: "password",
  },
  "common-password": {
    status: 422,
    message: "That password is too common. Please choose another.",
    field: "password",
  },
  "guessable-password": {
    status: 422,
    message: "That password is easy to guess. Please don’t use the shop’s name or your email address.",
    field: "password",
  },
  "same-password": {
    status: 422,
    message: "That is your current password. Please choose another.",
    field: "password",
  },
  "sign-in-method-disabled": {
    status: 403,
    message: "This sign-in method is not enabled. Please contact support.",
  },
  "sign-in-cancelled": { status: 403, message: "Sign-in cancelled. Please try again." },
  "authentication-failed": {
    status: 403,
    message: ({ message }: Details) =>
      message === undefined
        ? t("An error occurred during authentication. Please try again.")
        : String(message),
  },
  "identity-not-yet-valid": {
    status: 400,
    message: "An error occurred during authentication. Please try again.",
  },
  "email-not-verified": {
    status: 403,
    message: "Google hasn’t verified this email address yet. Please sign in with email and password.",
  },
  "password-sign-in-only": {
    status: 403,
    message: "Please sign in to this account with email and password.",
  },
  "google-email-differs": {
    status: 409,
    message:
      "You’re signed in with a different email address. Choose the Google account that has the same address.",
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
  "changes-too-fast": refusalOf("name-account", "name changes"),
  "password-change-needed": {
    status: 403,
    message: "Please set a password of your own first, on your account page.",
  },
  "password-needed": {
    status: 403,
    message: "Please enter your password to continue.",
    field: "password",
  },
  "google-sign-in-needed": {
    status: 403,
    message: "Please sign in with Google again to continue.",
  },
  "last-admin": {
    status: 409,
    message: "This is the only admin account of the shop, so it can’t be deleted.",
  },
  "deletion-changed": {
    status: 409,
    message:
      "Your passes or payments have just changed, so nothing was deleted. Please check the list again.",
  },
  "downloads-too-fast": refusalOf("data-download-account", "downloads"),
  "diagnostics-too-fast": refusalOf("diagnostics-address", "diagnostic runs"),
} satisfies Partial<Record<ErrorCode, MessageRule>>;

/** Refusals of the catalogue, the checkout, coupons and the giveaway. */
export const SALES_MESSAGES = {
  "tool-not-found": { status: 404, message: CORE_MESSAGES["tool-not-found"] },
  "option-not-found": {
    status: 409,
    message: "You can’t get it for this duration any more. Please choose another.",
  },
  "tool-out-of-stock": { status: 409, message: "Tool is out of stock" },
  "tool-in-stock": { status: 409, message: "It’s back in stock. You can get it now." },
  "stock-alerts-too-fast": refusalOf("stock-alert-account", "changes"),
  "reminder-link-invalid": {
    status: 400,
    message: "This link doesn’t work. You can turn reminders off in your account.",
  },
  "already-owned": { status: 409, message: "You already have access to this tool!" },
  "renewal-too-early": {
    status: 409,
    message: ({ from = "" }: Details) =>
      t("You can renew this pass from {from}, {days} days before it ends.", { from, days: RENEWAL_DAYS }),
  },
  "renewal-waiting": { status: 409, message: "You have already renewed this pass." },
  "contact-only": {
    status: 409,
    message: "This tool is sold on WhatsApp. Please message us there.",
  },
  "tool-is-free": { status: 409, message: "This tool is free. Open it from the home page." },
  "payments-not-set-up": {
    status: 503,
    message: "Payments are not set up in this shop yet. You were not charged.",
  },
  "shop-not-confirmed": {
    status: 409,
    message: "This shop is being set up again and is not open yet. Please try again later.",
  },
  "gateway-unavailable": {
    status: 503,
    message: "The payment service cannot be reached right now. You were not charged. Please try again.",
  },
  "payment-not-verified": { status: 402, message: "Payment failed. Please try again." },
  "purchase-not-found": { status: 404, message: CORE_MESSAGES["purchase-not-found"] },
  "checkout-ended": {
    status: 409,
    message: "This checkout has ended. If you were charged, you’ll be refunded automatically.",
  },
  "too-many-checkouts": {
    status: 429,
    message: ({ limit = HOLDS_PER_ACCOUNT }: Details) =>
      t("You have {limit} unfinished payments. Finish or close one of them, or wait {minutes} minutes.", {
        limit,
        minutes: HOLD_MS / MINUTE,
      }),
  },
  "too-many-checkouts-here": {
    status: 429,
    message: "Too many people on your network are paying right now. Please try again in a few minutes.",
  },
  "units-being-paid-for": {
    status: 409,
    message: "All units are being paid for. Try again in a few minutes.",
  },
  "checkouts-too-fast": {
    status: 429,
    message: "You’ve started too many payments. Please try again in a few minutes.",
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
  "coupon-lookup-failed": { status: 503, message: CORE_MESSAGES["coupon-lookup-failed"], field: "coupon" },
  "coupon-tries-exceeded": refusalOf("coupon-account", "coupon codes", "coupon"),
  "no-giveaway": { status: 404, message: "There is no giveaway today." },
  "giveaway-ended": {
    status: 409,
    message: "This giveaway has ended. Please reload the page to see today’s.",
  },
  "giveaway-taken": { status: 409, message: "Someone else was faster. Today’s pass has been claimed." },
  "claims-too-fast": refusalOf("giveaway-account", "claims"),
} satisfies Partial<Record<ErrorCode, MessageRule>>;

/** Refusals of tool pages, access codes, credentials, devices and the extension. */
export const ACCESS_MESSAGES = {
  "access-required": { status: 403, message: "Access Required" },
  "access-code-not-found": {
    status: 404,
    message: ({ server = t("this server") }: Details) => t("No access code found for {server}", { server }),
  },
  "access-codes-used-up": {
    status: 404,
    message: ({ server = t("this server") }: Details) =>
      t(
        "No access code found for {server}. All its codes are in use. The shop has been told and will add new ones. Please try again later.",
        { server },
      ),
  },
  "access-code-for-passes": {
    status: 404,
    message: ({ server = t("this server") }: Details) =>
      t("No access code found for {server}. Here each pass gets its own code, and you don’t have a pass.", {
        server,
      }),
  },
  "access-code-not-redeemable": {
    status: 404,
    message: "There is no such access code, or you have no active pass for its tool.",
  },
  "device-not-connected": {
    status: 401,
    message:
      "This browser is not connected. Open the tool’s page in the shop and press Click next to a server.",
  },
  "invalid-ticket": {
    status: 403,
    message: "This browser could not be connected in time. Press Click next to a server again.",
  },
  "device-limit-reached": { status: 403, message: "Maximum installations exceeded" },
  "device-connections-exceeded": {
    status: 429,
    message: () =>
      t("You can add at most {limit} browsers a day. Please try again tomorrow.", {
        limit: CONNECTIONS_PER_DAY,
      }),
  },
  "device-releases-exceeded": {
    status: 429,
    message: ({ limit = DEFAULT_DEVICE_RULES.releasesPerPeriod }: Details) =>
      t("You can remove at most {limit} browsers in {days} days. Please contact support.", {
        limit,
        days: RELEASE_PERIOD_DAYS,
      }),
  },
  "redemptions-too-fast": refusalOf("redemption-device", "requests for codes"),
  "status-requests-too-fast": refusalOf("status-account", "requests"),
  "renames-too-fast": refusalOf("rename-account", "name changes"),
  "credential-not-found": {
    status: 404,
    message: ({ tool = t("this tool") }: Details) =>
      t("No credentials found for {tool}. Please contact support.", { tool }),
  },
  "reveals-too-fast": refusalOf("reveal-account", "requests for codes"),
  "reports-too-fast": refusalOf("report-account", "reports"),
} satisfies Partial<Record<ErrorCode, MessageRule>>;

/** Refusals of what admins edit. */
export const ADMIN_MESSAGES = {
  "backup-running": { status: 409, message: "A backup is already running." },
  "too-many-rows": {
    status: 422,
    message: ({ most = 0 }: Details) =>
      `More than ${most.toLocaleString("en-IN")} rows match. Search or filter the list first.`,
  },
  "rows-gone": {
    status: 409,
    message: "Some of these rows no longer exist, so nothing was done. Reload the page and choose again.",
  },
  "tool-name-taken": { status: 409, message: "Another tool has this name.", field: "name" },
  "coupon-code-taken": { status: 409, message: "Another coupon has this code.", field: "code" },
  "coupon-missing": { status: 404, message: "Coupon not found" },
  "access-code-taken": { status: 409, message: "This simple code is already in use.", field: "simpleCode" },
  "access-code-in-use": {
    status: 409,
    message: "A buyer has this code, so you can’t change its tool or server.",
    field: "serverName",
  },
  "access-code-replaced": {
    status: 409,
    message: "The buyer who had this code has another one now.",
    field: "isActive",
  },
  "server-has-shared-codes": {
    status: 409,
    message: "This server has an active code for all buyers. Deactivate it first.",
    field: "serverName",
  },
  "server-has-codes-per-buyer": {
    status: 409,
    message: "This server gives each buyer their own code.",
    field: "serverName",
  },
  "credential-taken": {
    status: 409,
    message: "There is already a credential with this service and email.",
    field: "email",
  },
  "pass-not-changeable": {
    status: 409,
    message: "Only a completed purchase that has not ended can be changed.",
  },
  "purchase-not-imported": {
    status: 409,
    message: "Only the status of an imported purchase can be set by hand.",
  },
  "payment-not-found": { status: 404, message: "This payment is no longer in the list." },
  "payment-already-handled": {
    status: 409,
    message: ({ state = "" }: Details) =>
      state === "assigned"
        ? "This payment has already been assigned to a buyer. Nothing was changed."
        : state === "charged-back"
          ? "The bank has taken this payment back. Nothing was changed."
          : "This payment has already been refunded, or is being refunded. Nothing was changed.",
  },
  "payment-disputed": {
    status: 409,
    message:
      "The buyer has disputed this payment at the bank. A refund now could pay the buyer back twice, so nothing was changed. Answer the dispute at the payment provider first.",
  },
  "pass-overlap": {
    status: 409,
    message: "The user has another pass for this tool in that time.",
  },
} satisfies Partial<Record<ErrorCode, MessageRule>>;
