import { and, type Column, eq, isNotNull, not, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor, Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { paymentAttempts, unknownPayments } from "#db/tables/payments.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { requireSystem } from "../authorise.ts";
import type { Context } from "../context.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import type { Cipher } from "../ports.ts";
import { NO_PAYER, openPayer, sealPayer } from "./seal-payer.ts";
import {
  openAccessCode,
  openImportedDocument,
  openPassword,
  sealAccessCodeAgain,
  sealImportedDocument,
  sealPassword,
} from "./seal-secrets.ts";

const resealInput = z.object({ limit: z.int().min(1).max(1000) });

const retireInput = z.object({ keyIds: z.array(z.string()).min(1) });

/** How many rows got values that are sealed with the newest key. */
export interface Resealed {
  accessCodes: number;
  credentials: number;
  /** Documents of an imported shop that have passwords or codes. */
  importedDocuments: number;
  /** Who has paid, of payments and of unknown payments. */
  payers: number;
}

/** The tables with payers, by the name in the place of the sealed value. */
const PAYER_TABLES = [
  ["payment_attempts", paymentAttempts],
  ["unknown_payments", unknownPayments],
] as const;

/** Payers are many and short, so that one transaction seals more of them. */
const PAYERS_PER_LIMIT = 10;

/**
 * Seals values with the newest key that are not sealed with it yet: at most `limit` access codes, as many credentials, as many
 * imported documents, and ten times as many payers of each table.
 * One transaction, so a caller that is killed between two batches calls it again. Admins' edits wait for this one batch.
 * Versions and times of the rows stay, so that a form which is open remains valid.
 *
 * @throws DomainError 'forbidden', 'invalid-input'
 */
export async function resealSecrets(
  ctx: Context,
  input: z.input<typeof resealInput> | UntrustedInput,
): Promise<Resealed> {
  requireSystem(ctx);
  const { limit } = parseInput(resealInput, input);
  const { cipher } = ctx.ports;
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const resealed = {
      accessCodes: await resealAccessCodes(tx, cipher, limit),
      credentials: await resealPasswords(tx, cipher, limit),
      importedDocuments: await resealDocuments(tx, cipher, limit),
      payers: await resealPayers(tx, cipher, limit * PAYERS_PER_LIMIT),
    };
    if (Object.values(resealed).some((count) => count > 0)) {
      await recordAudit(ctx, tx, { action: "vault.rotated", subjectType: "vault", details: { ...resealed } });
    }
    return resealed;
  });
}

async function resealAccessCodes(tx: Transaction, cipher: Cipher, limit: number): Promise<number> {
  const { id, simpleCodeSealed, sessionCodeSealed, updatedAt } = accessCodes;
  const rows = await tx
    .select({ id, simpleCodeSealed, sessionCodeSealed })
    .from(accessCodes)
    .where(hasOlderCode(cipher))
    .orderBy(id)
    .limit(limit)
    .for("update");
  for (const row of rows) {
    const sealed = sealAccessCodeAgain(cipher, row.id, openAccessCode(cipher, row));
    await tx
      .update(accessCodes)
      .set({ ...sealed, updatedAt: sql`${updatedAt}` })
      .where(eq(id, row.id));
    changed(tx, accessCodes);
  }
  return rows.length;
}

async function resealPasswords(tx: Transaction, cipher: Cipher, limit: number): Promise<number> {
  const { id, passwordSealed, updatedAt } = credentials;
  const rows = await tx
    .select({ id, passwordSealed })
    .from(credentials)
    .where(isOlder(passwordSealed, cipher))
    .orderBy(id)
    .limit(limit)
    .for("update");
  for (const row of rows) {
    const sealed = sealPassword(cipher, row.id, openPassword(cipher, row));
    await tx
      .update(credentials)
      .set({ passwordSealed: sealed, updatedAt: sql`${updatedAt}` })
      .where(eq(id, row.id));
    changed(tx, credentials);
  }
  return rows.length;
}

async function resealDocuments(tx: Transaction, cipher: Cipher, limit: number): Promise<number> {
  const { id, documentSealed } = importedDocuments;
  const rows = await tx
    .select({ id, documentSealed: sql<string>`${documentSealed}` })
    .from(importedDocuments)
    .where(hasOlderDocument(cipher))
    .orderBy(id)
    .limit(limit)
    .for("update");
  for (const row of rows) {
    const sealed = sealImportedDocument(cipher, row.id, openImportedDocument(cipher, row));
    await tx.update(importedDocuments).set({ documentSealed: sealed }).where(eq(id, row.id));
    changed(tx, importedDocuments);
  }
  return rows.length;
}

async function resealPayers(tx: Transaction, cipher: Cipher, limit: number): Promise<number> {
  let resealed = 0;
  for (const [name, table] of PAYER_TABLES) {
    const rows = await tx
      .select({ id: table.id, payerSealed: sql<string>`${table.payerSealed}` })
      .from(table)
      .where(hasOlderPayer(table, cipher))
      .orderBy(table.createdAt)
      .limit(limit)
      .for("no key update", { skipLocked: true });
    for (const { id, payerSealed } of rows) {
      const sealed = sealPayer(cipher, name, id, openPayer(cipher, name, id, payerSealed));
      await tx
        .update(table)
        .set({ payerSealed: sealed, updatedAt: sql`${table.updatedAt}` })
        .where(eq(table.id, id));
      changed(tx, table);
    }
    resealed += rows.length;
  }
  return resealed;
}

/**
 * Ends the use of old keys when every value is sealed with the newest one. Codes and passwords are sealed under the edit
 * lock, so no edit that began before the rotation can still store a value with an old key. Payers are sealed without it, while a
 * payment is recorded: those transactions are waited for.
 *
 * @param forget removes what the database knows of the keys, in the same transaction
 * @returns false when a value still needs an old key; then nothing has changed
 * @throws DomainError 'forbidden', 'invalid-input'
 */
export async function retireVaultKeys(
  ctx: Context,
  input: z.input<typeof retireInput> | UntrustedInput,
  forget: (tx: Transaction, keyIds: readonly string[]) => Promise<void>,
): Promise<boolean> {
  requireSystem(ctx);
  const { keyIds } = parseInput(retireInput, input);
  // A transaction of its own, because new payments wait while the lock is held.
  await inTransaction(ctx.db, (tx) =>
    tx.execute(sql`lock table ${paymentAttempts}, ${unknownPayments} in share mode`),
  );
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    if ((await countOlderSeals(tx, ctx.ports.cipher)) > 0) return false;
    await forget(tx, keyIds);
    await recordAudit(ctx, tx, {
      action: "vault.keys-removed",
      subjectType: "vault",
      details: { keyIds },
    });
    return true;
  });
}

/** How many rows have a value that is not sealed with the newest key. */
async function countOlderSeals(executor: Executor, cipher: Cipher): Promise<number> {
  const codes = await executor.$count(accessCodes, hasOlderCode(cipher));
  const passwords = await executor.$count(credentials, isOlder(credentials.passwordSealed, cipher));
  let count = codes + passwords + (await executor.$count(importedDocuments, hasOlderDocument(cipher)));
  for (const [, table] of PAYER_TABLES) count += await executor.$count(table, hasOlderPayer(table, cipher));
  return count;
}

const hasOlderPayer = ({ payerSealed }: { payerSealed: Column }, cipher: Cipher) =>
  and(isNotNull(payerSealed), isOlder(payerSealed, cipher));

const hasOlderCode = (cipher: Cipher) =>
  or(isOlder(accessCodes.simpleCodeSealed, cipher), isOlder(accessCodes.sessionCodeSealed, cipher));

const hasOlderDocument = (cipher: Cipher) =>
  and(isNotNull(importedDocuments.documentSealed), isOlder(importedDocuments.documentSealed, cipher));

const isOlder = (column: Column, cipher: Cipher): SQL =>
  not(sql`starts_with(${column}, ${cipher.newestPrefix()})`);

/**
 * Deletes all access codes, credentials, sealed imported documents and payers, because the key that opens them is lost. Passes
 * and purchases stay. Another import of the old shop finds the deleted documents again, and `readPayers` the payers of payments.
 *
 * @returns how many there were
 * @throws DomainError 'forbidden'
 */
export async function giveUpSecrets(ctx: Context): Promise<Resealed> {
  requireSystem(ctx);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const codes = await tx.delete(accessCodes).returning({ id: accessCodes.id });
    const signIns = await tx.delete(credentials).returning({ id: credentials.id });
    const documents = await tx
      .delete(importedDocuments)
      .where(isNotNull(importedDocuments.documentSealed))
      .returning({ id: importedDocuments.id });
    let payers = 0;
    for (const [, table] of PAYER_TABLES) {
      const { rowCount } = await tx
        .update(table)
        .set({ ...NO_PAYER, payerHashes: null, updatedAt: sql`${table.updatedAt}` })
        .where(isNotNull(table.payerSealed));
      payers += rowCount ?? 0;
      changed(tx, table);
    }
    changed(tx, accessCodes, credentials, importedDocuments);
    const given = {
      accessCodes: codes.length,
      credentials: signIns.length,
      importedDocuments: documents.length,
      payers,
    };
    await recordAudit(ctx, tx, { action: "vault.given-up", subjectType: "vault", details: { ...given } });
    return given;
  });
}
