import { expect, test, vi } from "vitest";
import { DomainError } from "#core/errors.ts";
import { toErrorMessage } from "./error-messages.ts";

// Other numbers than the shop's: a message with a number of its own does not show them.
vi.mock("#core/accounts/form-rules.ts", () => ({ PASSWORD_MINIMUM: 21 }));
vi.mock("#core/checkout/limits.ts", () => ({ HOLD_MS: 37 * 60_000, HOLDS_PER_ACCOUNT: 11 }));
vi.mock("#core/limits.ts", () => ({ LIMITS: { "sign-up-address": { windowSeconds: 5 * 3600 } } }));

test.each([
  ["weak-password", "Password should be at least 21 characters."],
  ["too-many-checkouts", "You have 11 checkouts open. Finish or close one of them, or wait 37 minutes."],
  ["sign-up-rate-limited", "Too many new accounts from your network. Please try again in 5 hours."],
] as const)("the numbers in the message of %s come from the constants of the rules", (code, message) => {
  expect(toErrorMessage(new DomainError(code)).message).toBe(message);
});
