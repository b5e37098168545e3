import { z } from "zod";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { type PublicTool, selectToolOnSale } from "./queries.server.ts";

const inputSchema = z.object({ slug: z.string().trim().toLowerCase().min(1).max(100) });

/** A tool on sale with its options. Open to all. @throws DomainError 'tool-not-found', 'invalid-input' */
export async function getTool(ctx: Context, input: unknown): Promise<PublicTool> {
  const { slug } = parseInput(inputSchema, input);
  const tool = await selectToolOnSale(ctx.db, slug);
  if (tool === null) throw new DomainError("tool-not-found");
  return tool;
}
