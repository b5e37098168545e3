import { z } from "zod";
import { listServersWithCode } from "../access-codes/list-servers-with-code.server.ts";
import { requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { parseInput } from "../parse.ts";
import { checkPageAccess } from "./check-page-access.server.ts";

const inputSchema = z.object({ slug: z.string().min(1).max(80) });

/** A tool's page as one person may see it. Holds no code: those are fetched one by one, at the moment of use. */
export type ToolPage =
  | {
      access: "granted";
      tool: { name: string; slug: string; description: string };
      /** null: no end, for free tools and the admin. */
      expiresAt: Date | null;
      servers: { id: string; name: string; url: string | null; hasCode: boolean }[];
    }
  | { access: "required"; toolName: string };

/** @throws DomainError 'unauthenticated', 'user-disabled', 'not-found' */
export async function getToolPage(ctx: Context, input: { slug: string }): Promise<ToolPage> {
  requireSignedIn(ctx);
  const { slug } = parseInput(inputSchema, input);
  const checked = await checkPageAccess(ctx, ctx.db, slug);
  if (checked.access === "required") return { access: "required", toolName: checked.tool.name };
  const { id: toolId, name, description, servers } = checked.tool;
  const withCode = await listServersWithCode(ctx.db, { toolId, servers });
  return {
    access: "granted",
    tool: { name, slug, description },
    expiresAt: checked.expiresAt,
    servers: servers.map((server) => ({ ...server, hasCode: withCode.has(server.id) })),
  };
}
