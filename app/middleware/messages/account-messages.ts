import { PASSWORD_MINIMUM } from "#core/accounts/rules.ts";
import type { ErrorCode } from "#core/errors.ts";
import { type Details, type MessageRule, refusalOf } from "./message-rule.ts";

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
      `Password should be at least ${minimum} characters.`,
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
    message: ({ message = "An error occurred during authentication. Please try again." }: Details) =>
      String(message),
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
  "password-needed": {
    status: 403,
    message: "Please enter your password to continue.",
    field: "password",
  },
  "diagnostics-too-fast": refusalOf("diagnostics-address", "diagnostic runs"),
} satisfies Partial<Record<ErrorCode, MessageRule>>;
