import { NETWORK_ERROR_MESSAGE } from "../../ui/shop-connection.tsx";

/** The forms of the account page. */
export const INTENTS = ["name", "password", "reset", "end-session", "end-others"] as const;

export type Intent = (typeof INTENTS)[number];

/** What the action of the account page returns to the form that was sent. */
export interface AccountResult {
  intent: Intent;
  ok: boolean;
  message: string;
  /** Of a refusal, by field. */
  fields?: Record<string, string[]>;
  /** Of a mail: false when the shop has no mail server. */
  delivered?: boolean;
}

export const CHANGE_FAILED = "Your change was not saved. Please try again.";

export function isIntent(value: unknown): value is Intent {
  return INTENTS.some((intent) => intent === value);
}

/** The result of a form whose request got no answer, or failed without a reason. */
export function failedResult(intent: Intent, error: unknown): AccountResult {
  // fetch throws a TypeError when there is no response.
  return { intent, ok: false, message: error instanceof TypeError ? NETWORK_ERROR_MESSAGE : CHANGE_FAILED };
}

/** The result of the last sent form, for one of the forms of the page. */
export function resultOf(result: AccountResult | undefined, intent: Intent): AccountResult | undefined {
  return result?.intent === intent ? result : undefined;
}
