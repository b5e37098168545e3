import type { ActionFunctionArgs, ClientActionFunctionArgs } from "react-router";
import { requestPasswordReset } from "#core/accounts/reset-password.server.ts";
import { signInWithEmail, signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import type { Context } from "#core/context.ts";
import { methodNotAllowed } from "../../request/json-response.ts";
import { readBody } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";
import {
  type AuthFormResult,
  callServerAction,
  RESET_FAILED,
  resetAnswer,
  SIGN_IN_FAILED,
  SIGN_UP_FAILED,
} from "../forms/auth-form-result.ts";
import { type OperationResult, respondToForm } from "./form-response.server.ts";

/** The messages for a form that fails without a reason, by the last part of the path that the form posts to. */
const FAILURE_MESSAGES = {
  "sign-in": SIGN_IN_FAILED,
  "sign-up": SIGN_UP_FAILED,
  reset: RESET_FAILED,
};

type FormName = keyof typeof FAILURE_MESSAGES;

type FormOperation = (ctx: Context, input: unknown) => Promise<OperationResult>;

/** Only the server's action may use this table: then it and the operations stay out of the browser's code. */
const OPERATIONS: Readonly<Record<FormName, FormOperation>> = {
  "sign-in": signInWithEmail,
  "sign-up": signUpWithEmail,
  reset: async (ctx, input) => {
    return resetAnswer(await requestPasswordReset(ctx, input));
  },
};

/** Three routes share this module. */
export async function action({ request, pattern, context }: ActionFunctionArgs) {
  const form = formOf(pattern);
  const ctx = context.get(shopContext);
  const input = await readBody(request);
  return respondToForm(ctx, FAILURE_MESSAGES[form], () => OPERATIONS[form](ctx, input));
}

export function loader(): Response {
  return methodNotAllowed("POST");
}

export function clientAction({ pattern, serverAction }: ClientActionFunctionArgs) {
  return callServerAction(() => serverAction<AuthFormResult>(), FAILURE_MESSAGES[formOf(pattern)]);
}

/** @param pattern of the route, such as "/auth/sign-in" */
function formOf(pattern: string): FormName {
  const name = pattern.split("/").at(-1) ?? "";
  if (!isFormName(name)) throw new Error(`no form posts to ${pattern}`);
  return name;
}

function isFormName(name: string): name is FormName {
  return Object.hasOwn(FAILURE_MESSAGES, name);
}
