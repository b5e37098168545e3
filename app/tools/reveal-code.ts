import { revealAccessCode } from "#core/access-codes/reveal-access-code.server.ts";
import type { Route } from "./+types/reveal-code";
import { answerToolRequest } from "./tool-request.server.ts";

/** POST { serverId }: reveals the access code of one server as `{ ok: true, simpleCode, version }`. */
export function action(args: Route.ActionArgs) {
  return answerToolRequest(args, "revealing an access code failed", revealAccessCode);
}
