import { data, redirect } from "react-router";
import { changePassword } from "#core/accounts/change-password.server.ts";
import { deleteMyAccount } from "#core/accounts/delete-account.server.ts";
import { changeName } from "#core/accounts/profile.server.ts";
import { requestOwnPasswordReset } from "#core/accounts/reset-password.server.ts";
import { endOtherSessions, endSession } from "#core/accounts/sessions.server.ts";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { setWantsReminders } from "#core/reminders/opt-out.server.ts";
import { explainFailure, signedOutHeaders } from "../../auth/endpoints/form-response.server.ts";
import { resetAnswer } from "../../auth/forms/auth-form-result.ts";
import { retryHeaders } from "../../errors/error-messages.ts";
import { t } from "../../ui/texts/texts.ts";
import { type AccountResult, CHANGE_FAILED, DELETED_PATH, type Intent } from "./account-form.tsx";

type Done = Pick<AccountResult, "message" | "delivered">;

type Change = Exclude<Intent, "delete">;

const OPERATIONS: Record<Change, (ctx: Context, input: UntrustedInput) => Promise<Done>> = {
  name: async (ctx, input) => {
    await changeName(ctx, input);
    return { message: t("Your name has been saved.") };
  },
  password: async (ctx, input) => {
    await changePassword(ctx, input);
    return {
      message: t(
        "Your password has been changed. You’ve been signed out of every other browser, and the extension has been disconnected on every device.",
      ),
    };
  },
  reminders: async (ctx, input) => {
    const { wanted } = await setWantsReminders(ctx, input);
    return {
      message: t(wanted ? "You’ll get an email before a pass ends." : "You’ll get no more reminders."),
    };
  },
  reset: async (ctx) => resetAnswer(await requestOwnPasswordReset(ctx)),
  "end-session": async (ctx, input) => {
    await endSession(ctx, input);
    return { message: t("That browser has been signed out.") };
  },
  "end-others": async (ctx) => {
    const { ended } = await endOtherSessions(ctx);
    return {
      message: t(
        ended === 0 ? "No other browser was signed in." : "All other browsers have been signed out.",
      ),
    };
  },
};

/** Runs the operation of one form of the account page. */
export async function runAccountForm(ctx: Context, intent: Intent, input: UntrustedInput) {
  try {
    if (intent === "delete") {
      const { setCookies } = await deleteMyAccount(ctx, input);
      throw redirect(DELETED_PATH, { headers: signedOutHeaders(setCookies) });
    }
    return data<AccountResult>({ intent, ok: true, ...(await OPERATIONS[intent](ctx, input)) });
  } catch (error) {
    if (error instanceof Response) throw error;
    const { result, status } = explainFailure(ctx, CHANGE_FAILED, error);
    if (result.ok) throw error;
    const { message, fields } = result;
    const shown = fields && { fields: isAboutNewPassword(error) ? { newPassword: [message] } : fields };
    const headers = new Headers(retryHeaders(error));
    return data<AccountResult>({ intent, ok: false, message, ...shown }, { status, headers });
  }
}

/** Sign-up and reset have one password field; here `password` is the current one. */
function isAboutNewPassword(error: unknown): boolean {
  return NEW_PASSWORD_REFUSALS.some((code) => isDomainError(error, code));
}

const NEW_PASSWORD_REFUSALS = [
  "weak-password",
  "common-password",
  "guessable-password",
  "same-password",
] as const;
