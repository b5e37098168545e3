import { and, eq, ne, sql } from "drizzle-orm";
import type { Transaction } from "#db/database.ts";
import { credentials } from "#db/tables/vault.ts";

/** The row with its sealed password, locked until the end of the transaction; null when there is none. */
export async function lockCredential(tx: Transaction, id: string) {
  const [credential] = await tx.select().from(credentials).where(eq(credentials.id, id)).for("update");
  return credential ?? null;
}

/** The credential of this service and e-mail address. Case of the address is ignored. */
export async function findCredential(
  tx: Transaction,
  { service, email }: { service: string; email: string },
): Promise<{ id: string } | null> {
  const [credential] = await tx
    .select({ id: credentials.id })
    .from(credentials)
    .where(and(eq(credentials.service, service), eq(sql`lower(${credentials.email})`, sql`lower(${email})`)));
  return credential ?? null;
}

/** Whether another credential is for this service and e-mail address. Case is ignored. */
export async function isCredentialTaken(
  tx: Transaction,
  { service, email }: { service: string; email: string },
  exceptId?: string,
): Promise<boolean> {
  const taken = and(
    eq(credentials.service, service),
    eq(sql`lower(${credentials.email})`, sql`lower(${email})`),
    exceptId === undefined ? undefined : ne(credentials.id, exceptId),
  );
  return (await tx.$count(credentials, taken)) > 0;
}
