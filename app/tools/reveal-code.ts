import { revealAccessCode } from "#core/access-codes/reveal-access-code.server.ts";
import { issueTicket } from "#core/devices/connect-device.server.ts";
import { isDomainError } from "#core/errors.ts";
import { methodNotAllowed } from "../request/json-response.ts";
import type { Route } from "./+types/reveal-code";
import { answerToolRequest } from "./tool-page.server.ts";

/**
 * POST { serverId }: reveals the access code of one server as `{ ok: true, simpleCode, version, extensionTicket }`. The
 * ticket connects the extension of this browser, should there be one.
 */
export function action(args: Route.ActionArgs) {
  return answerToolRequest(args, "revealing an access code failed", async (ctx, input) => {
    const revealed = await revealAccessCode(ctx, input);
    // The code is useful without a ticket, and its reveal is recorded already.
    const extensionTicket = await issueTicket(ctx).catch((error: unknown) => {
      // The session has ended meanwhile.
      if (!isDomainError(error)) ctx.log.error({ err: error }, "issuing a ticket failed");
      return null;
    });
    return { ...revealed, extensionTicket };
  });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
