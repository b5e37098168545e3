import { requestPasswordReset } from "#core/accounts/request-password-reset.server.ts";
import { readBody } from "../../middleware/read-body.ts";
import { shopContext } from "../../middleware/request-context.ts";
import type { Route } from "./+types/reset";
import { answerForm } from "./form-response.server.ts";
import { answerInPlace } from "../forms/auth-form-result.ts";
import { RESET_FAILED, RESET_SENT } from "../auth-messages.ts";

export async function action({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  const input = await readBody(request);
  return answerForm(ctx, RESET_FAILED, async () => {
    await requestPasswordReset(ctx, input);
    return { message: RESET_SENT };
  });
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return answerInPlace(serverAction, RESET_FAILED);
}
