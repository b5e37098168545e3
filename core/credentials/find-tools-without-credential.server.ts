import { and, asc, eq, isNotNull, isNull, or, type SQL } from "drizzle-orm";
import type { Executor } from "#db/database.ts";
import { tools } from "#db/tables/catalog.ts";
import { findToolCredential } from "./tool-credential-queries.server.ts";

/** A tool whose page offers a credential and gives none. */
export interface ToolWithoutCredential {
  toolId: string;
  toolName: string;
  slug: string;
  /** null: an inactive credential of its own, which comes before its service. */
  service: string | null;
  /** Several credentials fit, so that none is given. */
  isAmbiguous: boolean;
}

const IS_ACTIVE = and(eq(tools.isActive, true), isNull(tools.deletedAt));

/** The tools, by default the active ones, ready or not, whose page offers a credential that is not found. The caller authorises. */
export async function findToolsWithoutCredential(
  executor: Executor,
  which: SQL | undefined = IS_ACTIVE,
): Promise<ToolWithoutCredential[]> {
  const offering = await executor
    .select({
      toolId: tools.id,
      toolName: tools.name,
      slug: tools.slug,
      credentialId: tools.credentialId,
      credentialService: tools.credentialService,
    })
    .from(tools)
    .where(and(which, or(isNotNull(tools.credentialId), isNotNull(tools.credentialService))))
    .orderBy(asc(tools.name), asc(tools.id));
  const found = new Map<string, ReturnType<typeof findToolCredential>>();
  const without: ToolWithoutCredential[] = [];
  for (const { toolId, toolName, slug, ...choice } of offering) {
    const key = `${choice.credentialId} ${choice.credentialService}`;
    const search = found.get(key) ?? findToolCredential(executor, choice);
    found.set(key, search);
    const { credential, isAmbiguous } = await search;
    const service = choice.credentialId === null ? choice.credentialService : null;
    if (credential === null) without.push({ toolId, toolName, slug, service, isAmbiguous });
  }
  return without;
}
