import { data } from "react-router";
import type { Context } from "#core/context.ts";
import { isDatabaseUnavailable, isDomainError } from "#core/errors.ts";
import { retryHeaders, toErrorMessage } from "../../middleware/error-messages.ts";
import type { AuthAnswer } from "../forms/auth-form-result.ts";

interface Done {
  setCookies?: string[];
  message?: string;
}

/** Headers that hand cookies to the browser and keep the answer out of every cache. */
export function cookieHeaders(setCookies: readonly string[] = []): Headers {
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const cookie of setCookies) headers.append("Set-Cookie", cookie);
  return headers;
}

/**
 * Runs one verb for a form and answers with its outcome in words.
 *
 * @param failed said when the verb broke instead of refusing
 */
export async function answerForm(ctx: Context, failed: string, verb: () => Promise<Done>) {
  try {
    const { message, setCookies } = await verb();
    const answer: AuthAnswer = message === undefined ? { ok: true } : { ok: true, message };
    return data(answer, { headers: cookieHeaders(setCookies) });
  } catch (error) {
    const { answer, status } = refusalOf(ctx, failed, error);
    const headers = cookieHeaders();
    for (const [name, value] of Object.entries(retryHeaders(error))) headers.set(name, value);
    return data(answer, { status, headers });
  }
}

function refusalOf(ctx: Context, failed: string, error: unknown): { answer: AuthAnswer; status: number } {
  if (!isDomainError(error)) {
    ctx.log.error({ err: error }, "a form could not be answered");
    if (isDatabaseUnavailable(error))
      return { answer: { ok: false, message: toErrorMessage(error).message }, status: 503 };
    return { answer: { ok: false, message: failed }, status: 500 };
  }
  const { status, message, fields } = toErrorMessage(error);
  return { answer: { ok: false, message, ...(fields && { fields }) }, status };
}
