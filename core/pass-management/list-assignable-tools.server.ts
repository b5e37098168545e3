import { z } from "zod";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { isActivePass } from "../pass-validity.server.ts";
import { accountExists, selectAssignableTools } from "./queries.server.ts";

const listAssignableToolsInput = z.object({ userId: z.uuid() });

/** A tool that an admin may assign. Paise, days. */
export interface ToolToAssign {
  id: string;
  slug: string;
  name: string;
  description: string;
  pricePaise: number;
  availableStock: number;
  validityDays: number;
  /** The user has an active pass for it: by its id, or by its name or slug without regard to case. */
  alreadyAssigned: boolean;
}

/**
 * The active tools, the cheapest first, and which of them a user has.
 *
 * @throws DomainError unauthenticated, forbidden, not-found, invalid-input
 */
export async function listAssignableTools(
  ctx: Context,
  input: z.input<typeof listAssignableToolsInput> | UntrustedInput,
): Promise<ToolToAssign[]> {
  requireAdmin(ctx, "reads");
  const { userId } = parseInput(listAssignableToolsInput, input);
  if (!(await accountExists(ctx.db, userId))) throw new DomainError("not-found");
  return selectAssignableTools(ctx.db, { userId, isPass: isActivePass(ctx) });
}
