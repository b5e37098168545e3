import { asc } from "drizzle-orm";
import { credentials } from "#db/tables/vault.ts";
import { requireAdmin } from "../authorise.ts";
import type { Context } from "../context.ts";

/** A credential that a tool can name as its own. */
export interface CredentialToChoose {
  id: string;
  service: string;
  email: string;
}

/**
 * All credentials by service and address, without passwords.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listCredentialChoices(ctx: Context): Promise<CredentialToChoose[]> {
  requireAdmin(ctx, "reads");
  return ctx.db
    .select({ id: credentials.id, service: credentials.service, email: credentials.email })
    .from(credentials)
    .orderBy(asc(credentials.service), asc(credentials.email), asc(credentials.id));
}
