import { DomainError, type ErrorCode, InvalidInputError, isDatabaseUnavailable } from "#core/errors.ts";
import { translate } from "../ui/texts/texts.ts";
import {
  ACCESS_MESSAGES,
  ACCOUNT_MESSAGES,
  ADMIN_MESSAGES,
  type Details,
  type MessageRule,
  SALES_MESSAGES,
} from "./refusal-messages.ts";

/** How a response reports an error: its HTTP status, the message for a person, and messages by form field. */
interface ErrorMessage {
  status: number;
  message: string;
  fields?: Record<string, string[]>;
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
      "Someone else has changed this in the meantime, so nothing was saved. Close this form, open it again and repeat your change.",
  },
  ...ACCOUNT_MESSAGES,
  ...SALES_MESSAGES,
  ...ACCESS_MESSAGES,
  ...ADMIN_MESSAGES,
};

/** The message for an error, in the language of the request. A fault gets a message without its details. */
export function toErrorMessage(error: unknown): ErrorMessage {
  if (!(error instanceof DomainError)) {
    return isDatabaseUnavailable(error)
      ? { ...DATABASE_UNAVAILABLE, message: translate(DATABASE_UNAVAILABLE.message) }
      : { status: 500, message: translate(SOMETHING_WENT_WRONG) };
  }
  const { status, field } = MESSAGES[error.code];
  const message = messageForCode(error.code, error.details);
  if (error instanceof InvalidInputError) {
    const { "": _wholeInput, ...inEnglish } = error.fields;
    const fields = Object.fromEntries(
      Object.entries(inEnglish).map(([field, messages]) => [field, messages.map(translate)]),
    );
    const [firstMessage] = Object.values(fields).flat();
    return { status, message: firstMessage ?? message, fields };
  }
  return field === undefined ? { status, message } : { status, message, fields: { [field]: [message] } };
}

/** The message for an error code in the current language, for screens that show it without an error of the server. */
export function messageForCode(code: ErrorCode, details: Details = {}): string {
  const { message } = MESSAGES[code];
  return typeof message === "function" ? message(details) : translate(message);
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
