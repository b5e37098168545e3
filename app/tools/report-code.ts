import { reportAccessCode } from "#core/access-codes/report-access-code.server.ts";
import { methodNotAllowed } from "../request/json-response.ts";
import type { Route } from "./+types/report-code";
import { answerToolRequest } from "./tool-page.server.ts";

/** POST { serverId }: reports that the code of one server does not work, as `{ ok: true, reportedAt }`. */
export function action(args: Route.ActionArgs) {
  return answerToolRequest(args, "reporting an access code failed", reportAccessCode);
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
