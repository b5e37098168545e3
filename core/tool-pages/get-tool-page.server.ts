import { z } from "zod";
import { listServersWithCode } from "../access-codes/list-servers-with-code.server.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { checkPageAccess, findExpiredPassEnd } from "../entitlements/check-page-access.server.ts";
import { parseInput } from "../parse.ts";

const inputSchema = z.object({ slug: z.string().min(1).max(80) });

/** A tool page for one actor. It holds no access codes: each is revealed when the buyer asks for it. */
export type ToolPage =
  | {
      access: "granted";
      tool: { name: string; slug: string; description: string };
      /** null: access without an end, for free tools and admins. */
      expiresAt: Date | null;
      servers: { id: string; name: string; url: string | null; hasCode: boolean }[];
    }
  /** passEndedAt: when the last pass for the page expired; null without one. */
  | { access: "required"; toolName: string; passEndedAt: Date | null };

/** @throws DomainError 'unauthenticated', 'user-disabled', 'not-found' */
export async function getToolPage(ctx: Context, input: { slug: string }): Promise<ToolPage> {
  const { userId } = requireSignedIn(ctx);
  const { slug } = parseInput(inputSchema, input);
  const checked = await checkPageAccess(ctx, ctx.db, slug);
  if (checked.access === "required") {
    const { tool } = checked;
    const passEndedAt = await findExpiredPassEnd(ctx, ctx.db, { userId, tool });
    return { access: "required", toolName: tool.name, passEndedAt };
  }
  const { id: toolId, name, description, servers } = checked.tool;
  const withCode = await listServersWithCode(ctx.db, { toolId, servers });
  return {
    access: "granted",
    tool: { name, slug, description },
    expiresAt: checked.expiresAt,
    servers: servers.map((server) => ({ ...server, hasCode: withCode.has(server.id) })),
  };
}
