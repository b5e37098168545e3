import { revealToolCredential } from "#core/credentials/tool-credentials.server.ts";
import { methodNotAllowed } from "../request/json-response.ts";
import type { Route } from "./+types/reveal-credential";
import { answerToolRequest } from "./tool-page.server.ts";

/** POST { field }: reveals the "email" or the "password" of the tool's credential as `{ ok: true, value, version }`. */
export function action(args: Route.ActionArgs) {
  return answerToolRequest(args, "revealing a credential failed", revealToolCredential);
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
