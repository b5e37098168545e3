import { signUpWithEmail } from "#core/accounts/sign-up-with-email.server.ts";
import { readBody } from "../../middleware/read-body.ts";
import { shopContext } from "../../middleware/request-context.ts";
import type { Route } from "./+types/sign-up";
import { answerForm } from "./form-response.server.ts";
import { answerInPlace } from "../forms/auth-form-result.ts";
import { SIGN_UP_FAILED } from "../auth-messages.ts";

export async function action({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  const input = await readBody(request);
  return answerForm(ctx, SIGN_UP_FAILED, () => signUpWithEmail(ctx, input));
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return answerInPlace(serverAction, SIGN_UP_FAILED);
}
