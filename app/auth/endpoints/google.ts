import { startGoogleSignIn } from "#core/accounts/start-google-sign-in.server.ts";
import { shopContext } from "../../middleware/request-context.ts";
import type { Route } from "./+types/google";
import { answerForm } from "./form-response.server.ts";
import { answerInPlace } from "../forms/auth-form-result.ts";
import { GOOGLE_FAILED } from "../auth-messages.ts";

export function action({ context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  return answerForm(ctx, GOOGLE_FAILED, () => startGoogleSignIn(ctx));
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return answerInPlace(serverAction, GOOGLE_FAILED);
}
