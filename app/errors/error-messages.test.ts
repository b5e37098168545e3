import { afterEach, describe, expect, test } from "vitest";
import { PASSWORD_MINIMUM } from "#core/accounts/rules.ts";
import { HOLD_MS, HOLDS_PER_ACCOUNT } from "#core/checkout/hold-rules.ts";
import { DomainError, type ErrorCode, InvalidInputError } from "#core/errors.ts";
import { DatabaseUnavailableError } from "#db/database-unavailable.ts";
import hindi from "#languages/hi/screens.json" with { type: "json" };
import { addCatalogue, followLanguage } from "../ui/texts/texts.ts";
import {
  messageForCode,
  retryHeaders,
  SOMETHING_WENT_WRONG,
  toErrorCode,
  toErrorMessage,
} from "./error-messages.ts";
import { ACCESS_MESSAGES, ACCOUNT_MESSAGES, SALES_MESSAGES } from "./refusal-messages.ts";

test.each<[ErrorCode, number, string]>([
  ["invalid-email", 422, "Please enter a valid email address."],
  ["user-disabled", 403, "This account has been disabled. Please contact support."],
  ["weak-password", 422, "Password should be at least 6 characters."],
  ["tool-not-found", 404, "Tool not found"],
  ["tool-out-of-stock", 409, "Tool is out of stock"],
  ["already-owned", 409, "You already have access to this tool!"],
  ["payment-not-verified", 402, "Payment failed. Please try again."],
  ["purchase-not-found", 404, "Purchase not found"],
  ["password-needed", 403, "Please enter your password to continue."],
  ["pass-not-changeable", 409, "Only a completed purchase that has not ended can be changed."],
  ["pass-overlap", 409, "The user has another pass for this tool in that time."],
])("the error %s has the status %i and the message '%s'", (code, status, message) => {
  expect(toErrorMessage(new DomainError(code))).toMatchObject({ status, message });
});

test.each<[ErrorCode, number[]]>([
  ["weak-password", [PASSWORD_MINIMUM]],
  ["too-many-checkouts", [HOLDS_PER_ACCOUNT, HOLD_MS / 60_000]],
])("the numbers in the message of %s are those of the rules", (code, numbers) => {
  const { message } = toErrorMessage(new DomainError(code));
  expect(message.match(/\d+/g)?.map(Number)).toEqual(numbers);
});

test("the message about a weak password names the length that the account needs", () => {
  const errorMessage = toErrorMessage(new DomainError("weak-password", { minimum: 12 }));
  expect(errorMessage.message).toBe("Password should be at least 12 characters.");
  expect(errorMessage.fields).toEqual({ password: [errorMessage.message] });
});

test("the message about a missing access code names the server", () => {
  const errorMessage = toErrorMessage(new DomainError("access-code-not-found", { server: "Server 2" }));
  expect(errorMessage.message).toBe("No access code found for Server 2");
});

test("invalid input keeps the messages of its fields and shows the first of them", () => {
  const error = new InvalidInputError({
    email: ["Please enter a valid email address"],
    password: ["Too short"],
  });
  expect(toErrorMessage(error)).toEqual({
    status: 422,
    message: "Please enter a valid email address",
    fields: { email: ["Please enter a valid email address"], password: ["Too short"] },
  });
});

test("an unreachable database has the status 503 and a time to retry", () => {
  const error = new Error("Failed query", { cause: new DatabaseUnavailableError("gone") });
  expect(toErrorMessage(error)).toEqual({
    status: 503,
    message:
      "The shop cannot reach its database right now. Please try again in a moment. If you have paid, your payment is not lost.",
  });
  expect(toErrorCode(error, "failed")).toBe("unavailable");
  expect(Number(retryHeaders(error)["retry-after"])).toBeGreaterThan(0);
  expect(retryHeaders(new Error("a fault"))).toEqual({});
});

test("an unexpected error does not reveal its message", () => {
  const errorMessage = toErrorMessage(new Error("password=hunter2 in table users"));
  expect(errorMessage).toEqual({ status: 500, message: SOMETHING_WENT_WRONG });
});

test("input that is no form gets a message that a person can read", () => {
  const error = new InvalidInputError({ "": ["Invalid input: expected object, received undefined"] });
  expect(toErrorMessage(error)).toEqual({
    status: 422,
    message: "Please check what you entered.",
    fields: {},
  });
});

describe("in Hindi", () => {
  afterEach(() => followLanguage(() => "en"));

  test("every refusal of a buyer has a Hindi text, and so do the messages of fields", () => {
    addCatalogue("hi", hindi);
    followLanguage(() => "hi");
    const codes = Object.keys({ ...ACCOUNT_MESSAGES, ...SALES_MESSAGES, ...ACCESS_MESSAGES }) as ErrorCode[];
    expect(codes.filter((code) => !/\p{Script=Devanagari}/u.test(messageForCode(code)))).toEqual([]);
    const error = new InvalidInputError({ email: ["Please enter a valid email address"] });
    expect(toErrorMessage(error).fields).toEqual({ email: ["कृपया सही ईमेल पता भरें"] });
  });
});
