import { signInWithEmail } from "#core/accounts/sign-in-with-email.server.ts";
import { readBody } from "../../middleware/read-body.ts";
import { shopContext } from "../../middleware/request-context.ts";
import type { Route } from "./+types/sign-in";
import { answerForm } from "./form-response.server.ts";
import { answerInPlace } from "../forms/auth-form-result.ts";
import { SIGN_IN_FAILED } from "../auth-messages.ts";

export async function action({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  const input = await readBody(request);
  return answerForm(ctx, SIGN_IN_FAILED, () => signInWithEmail(ctx, input));
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return answerInPlace(serverAction, SIGN_IN_FAILED);
}
