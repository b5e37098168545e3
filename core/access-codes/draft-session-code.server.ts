import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { makeSessionCode } from "../vault/seal-access-code.ts";
import { selectToolName } from "./queries.server.ts";
import { draftSessionCodeSchema } from "./schemas.ts";

/**
 * A session code for the form that adds an access code. Nothing is stored; `createAccessCode` accepts it.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input', 'tool-not-found'
 */
export async function draftSessionCode(
  ctx: Context,
  input: { toolId: string } | UntrustedInput,
): Promise<{ sessionCode: string }> {
  requireAdmin(ctx, "reads");
  const { toolId } = parseInput(draftSessionCodeSchema, input);
  const toolName = await selectToolName(ctx.db, toolId);
  if (toolName === null) throw new DomainError("tool-not-found");
  return { sessionCode: makeSessionCode(toolName, ctx.clock.now()) };
}
