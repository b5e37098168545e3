import { z } from "zod";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput } from "../parse.ts";
import {
  type PublicTool,
  selectToolOnSale,
  selectToolOnSaleById,
  selectToolOnSaleBySlugOrName,
} from "./queries.server.ts";

const inputSchema = z.object({ slug: z.string().trim().toLowerCase().min(1).max(100) });

/** A tool on sale with its options. Open to all. @throws DomainError 'tool-not-found', 'invalid-input' */
export async function getTool(ctx: Context, input: unknown): Promise<PublicTool> {
  const { slug } = parseInput(inputSchema, input);
  const tool = await selectToolOnSale(ctx.db, slug);
  if (tool === null) throw new DomainError("tool-not-found");
  return tool;
}

/**
 * The tool on sale with this slug or, if there is none, with this name. Case is ignored. Open to all.
 *
 * @throws DomainError 'tool-not-found'
 */
export async function findToolBySlugOrName(ctx: Context, slugOrName: string): Promise<PublicTool> {
  const tool = await selectToolOnSaleBySlugOrName(ctx.db, slugOrName);
  if (tool === null) throw new DomainError("tool-not-found");
  return tool;
}

/** The tool with this id or slug; null when it is not on sale. Open to all. */
export function findToolOnSale(
  ctx: Context,
  by: { id: string } | { slug: string },
): Promise<PublicTool | null> {
  return "id" in by ? selectToolOnSaleById(ctx.db, by.id) : selectToolOnSale(ctx.db, by.slug);
}
