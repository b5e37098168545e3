import { data } from "react-router";
import type { Context } from "#core/context.ts";
import { isDatabaseUnavailable, isDomainError } from "#core/errors.ts";
import { retryHeaders, toErrorMessage } from "../../errors/error-messages.ts";
import { translate } from "../../ui/texts/texts.ts";
import type { AuthFormResult } from "../forms/auth-form-result.ts";
import { WANTED_COOKIE } from "../wanted-page.ts";

export interface OperationResult {
  setCookies?: string[];
  message?: string;
  delivered?: boolean;
}

/** Headers that set the cookies in the browser and keep the response out of every cache. */
export function cookieHeaders(setCookies: readonly string[] = []): Headers {
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const cookie of setCookies) headers.append("Set-Cookie", cookie);
  return headers;
}

/** The same for a response after which nobody is signed in: the browser also deletes what it has cached of the shop. */
export function signedOutHeaders(setCookies: readonly string[]): Headers {
  const headers = cookieHeaders(setCookies);
  headers.set("Clear-Site-Data", '"cache"');
  // Another page of this browser may have been redirected while the request ran.
  headers.append("Set-Cookie", `${WANTED_COOKIE}=; Path=/; Max-Age=0`);
  return headers;
}

/**
 * Runs one operation for a form and responds with its result or with the message of its refusal.
 *
 * @param failureMessage shown when the operation fails with an error that is no refusal
 */
export async function respondToForm(
  ctx: Context,
  failureMessage: string,
  operation: () => Promise<OperationResult>,
) {
  try {
    // The operations of accounts return more than a form may show.
    const { setCookies, message, delivered } = await operation();
    const result: AuthFormResult = {
      ok: true,
      ...(message !== undefined && { message }),
      ...(delivered !== undefined && { delivered }),
    };
    return data(result, { headers: cookieHeaders(setCookies) });
  } catch (error) {
    const { result, status } = explainFailure(ctx, failureMessage, error);
    const headers = cookieHeaders();
    for (const [name, value] of Object.entries(retryHeaders(error))) headers.set(name, value);
    return data(result, { status, headers });
  }
}

/** The same answer with the address that was typed, so that a page without scripts shows it again. */
export function withTypedEmail(answer: Awaited<ReturnType<typeof respondToForm>>, email: unknown) {
  return data({ ...answer.data, ...(typeof email === "string" && { email }) }, answer.init ?? {});
}

/** The result and the status for an operation of a form that failed. A fault is logged. */
export function explainFailure(
  ctx: Context,
  failureMessage: string,
  error: unknown,
): { result: AuthFormResult; status: number } {
  if (!isDomainError(error)) {
    ctx.log.error({ err: error }, "an account form failed");
    if (isDatabaseUnavailable(error))
      return { result: { ok: false, message: toErrorMessage(error).message }, status: 503 };
    return { result: { ok: false, message: translate(failureMessage) }, status: 500 };
  }
  const { status, message, fields } = toErrorMessage(error);
  const { typed } = isDomainError(error, "email-like-known") ? error.details : {};
  const confirmedEmail = typed === undefined ? undefined : String(typed);
  return {
    result: { ok: false, message, ...(fields && { fields }), ...(confirmedEmail && { confirmedEmail }) },
    status,
  };
}

/**
 * The headers of a page with an account form. The router sends no header of the action by itself: the answer to a form that a
 * limit refused says when to try again.
 */
export function formPageHeaders({ actionHeaders }: { actionHeaders: Headers }): Headers {
  const headers = new Headers({ "Cache-Control": "private, no-store", "X-Robots-Tag": "noindex" });
  const retryAfter = actionHeaders.get("Retry-After");
  if (retryAfter !== null) headers.set("Retry-After", retryAfter);
  return headers;
}
