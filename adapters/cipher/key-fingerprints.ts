import { hkdfSync } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor, Transaction } from "#db/database.ts";
import { settings } from "#db/tables/operations.ts";
import { changed, inSavepoint } from "#db/transaction.ts";
import { KeyError } from "./cipher.ts";
import type { Keys } from "./key-file.ts";

/** The key of the setting that has the fingerprints. */
export const FINGERPRINTS_SETTING = "key-fingerprints";
const REMEDY = "start with the same AUTH_SECRET and VAULT_KEYS, or the same folder keys in DATA_DIR";

const fingerprintsSchema = z.object({
  auth: z.string(),
  lookup: z.string(),
  vault: z.record(z.string(), z.string()),
  /** Ids of vault keys that were removed. A process that started before that still has them. */
  retired: z.array(z.string()).default([]),
});

/** A hash of each key, from which the key cannot be derived; `vault` by key id. */
export type KeyFingerprints = z.infer<typeof fingerprintsSchema>;

export function keyFingerprints({ authSecret, keys, lookupKey }: Keys): KeyFingerprints {
  return {
    auth: fingerprint(Buffer.from(authSecret, "utf8"), "auth"),
    lookup: fingerprint(lookupKey, "lookup"),
    vault: Object.fromEntries(keys.map(({ id, key }) => [id, fingerprint(key, "vault")])),
    retired: [],
  };
}

function fingerprint(key: Buffer, purpose: string): string {
  return Buffer.from(hkdfSync("sha256", key, "", `daypass fingerprint ${purpose} v1`, 16)).toString("hex");
}

/**
 * Compares the keys of this process with those that the database was first used with; the first use stores them.
 * Further vault keys are accepted and stored too: every later process needs them, because values may be sealed with
 * them.
 *
 * @throws KeyError when a stored key is missing or differs: some sign-ins and access codes would fail
 */
export async function checkKeyFingerprints(executor: Executor, own: KeyFingerprints): Promise<void> {
  await inSavepoint(executor, async (tx) => {
    await tx.insert(settings).values({ key: FINGERPRINTS_SETTING, value: own }).onConflictDoNothing();
    changed(tx, settings);
    const stored = await lockFingerprints(tx);
    const problem = differenceOf(stored, own);
    if (problem !== undefined) throw new KeyError(problem);
    const added = Object.entries(own.vault).filter(
      ([id]) => !Object.hasOwn(stored.vault, id) && !stored.retired.includes(id),
    );
    if (added.length === 0) return;
    await storeFingerprints(tx, { ...stored, vault: { ...stored.vault, ...Object.fromEntries(added) } });
  });
}

/**
 * The ids of the vault keys that processes of the shop have started with. The row stays locked until the end of the
 * transaction, so that two rotations wait for each other.
 *
 * @throws KeyError when no shop has started on this database yet
 */
export async function lockKnownKeys(tx: Transaction): Promise<string[]> {
  return Object.keys((await lockFingerprints(tx)).vault);
}

/** Whether a shop has used this database before: it has stored fingerprints. The database may have no tables yet. */
export async function hasKeyFingerprints(executor: Executor): Promise<boolean> {
  const { rows } = await executor.execute(sql`select to_regclass('public.settings') is not null as exists`);
  if (!existsRows.parse(rows)[0].exists) return false;
  return (await executor.$count(settings, eq(settings.key, FINGERPRINTS_SETTING))) > 0;
}

const existsRows = z.tuple([z.object({ exists: z.boolean() })]);

/**
 * Which of the keys that the database is used with this process does not have.
 *
 * @throws KeyError when no shop has started on this database yet
 */
export async function findLostKeys(
  executor: Executor,
  own: KeyFingerprints,
): Promise<{ auth: boolean; vault: boolean }> {
  const stored = await inSavepoint(executor, lockFingerprints);
  const vault = differenceOf({ ...stored, auth: own.auth }, own) !== undefined;
  return { auth: stored.auth !== own.auth, vault };
}

/**
 * Says which key differs from those that a database was used with; undefined when none does.
 *
 * @param value what the database has stored of its keys; undefined when it was never used
 */
export function explainWrongKeys(value: unknown, own: KeyFingerprints): string | undefined {
  return value === undefined ? undefined : differenceOf(fingerprintsSchema.parse(value), own);
}

/** From now on the database is used with the keys of this process. */
export async function replaceFingerprints(executor: Executor, own: KeyFingerprints): Promise<void> {
  await inSavepoint(executor, (tx) => storeFingerprints(tx, own));
}

/** Later processes do not need these vault keys. */
export async function forgetVaultKeys(tx: Transaction, ids: readonly string[]): Promise<void> {
  const stored = await lockFingerprints(tx);
  const vault = Object.fromEntries(Object.entries(stored.vault).filter(([id]) => !ids.includes(id)));
  await storeFingerprints(tx, { ...stored, vault, retired: [...new Set([...stored.retired, ...ids])] });
}

async function lockFingerprints(tx: Transaction): Promise<KeyFingerprints> {
  const [row] = await tx.select().from(settings).where(eq(settings.key, FINGERPRINTS_SETTING)).for("update");
  if (row === undefined) throw new KeyError("No shop has used this database yet: start the shop first.");
  return fingerprintsSchema.parse(row.value);
}

async function storeFingerprints(tx: Transaction, value: KeyFingerprints): Promise<void> {
  await tx.update(settings).set({ value }).where(eq(settings.key, FINGERPRINTS_SETTING));
  changed(tx, settings);
}

function differenceOf(stored: KeyFingerprints, own: KeyFingerprints): string | undefined {
  if (own.auth !== stored.auth) {
    return `The authentication secret differs from the one this database is used with; ${REMEDY}.`;
  }
  for (const [id, known] of Object.entries(stored.vault)) {
    const here = own.vault[id];
    if (here === known) continue;
    const what = here === undefined ? "is missing" : "differs";
    return `The vault key "${id}" ${what}, which this database is used with; ${REMEDY}.`;
  }
  if (own.lookup !== stored.lookup) {
    return "The lookup key differs from the one this database is used with; keep the oldest of VAULT_KEYS last, or list it as lookup.";
  }
  return undefined;
}
