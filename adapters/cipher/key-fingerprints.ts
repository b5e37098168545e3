import { hkdfSync } from "node:crypto";
import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "#db/database.ts";
import { settings } from "#db/tables/operations.ts";
import type { Keys } from "./key-file.ts";
import { KeyError } from "./vault-keys.ts";

const SETTING = "key-fingerprints";
const REMEDY = "start with the same AUTH_SECRET and VAULT_KEYS, or the same folder keys in DATA_DIR";

const fingerprintsSchema = z.object({
  auth: z.string(),
  lookup: z.string(),
  vault: z.record(z.string(), z.string()),
});

/** A hash of each key, from which the key cannot be derived; `vault` by key id. */
export type KeyFingerprints = z.infer<typeof fingerprintsSchema>;

export function keyFingerprints({ authSecret, keys, lookupKey }: Keys): KeyFingerprints {
  return {
    auth: fingerprint(Buffer.from(authSecret, "utf8"), "auth"),
    lookup: fingerprint(lookupKey, "lookup"),
    vault: Object.fromEntries(keys.map(({ id, key }) => [id, fingerprint(key, "vault")])),
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
  await executor.transaction(async (tx) => {
    await tx.insert(settings).values({ key: SETTING, value: own }).onConflictDoNothing();
    const [row] = await tx.select().from(settings).where(eq(settings.key, SETTING)).for("update");
    const stored = fingerprintsSchema.parse(row?.value);
    const problem = differenceOf(stored, own);
    if (problem !== undefined) throw new KeyError(problem);
    const vault = { ...stored.vault, ...own.vault };
    if (Object.keys(vault).length === Object.keys(stored.vault).length) return;
    await tx
      .update(settings)
      .set({ value: { ...stored, vault } })
      .where(eq(settings.key, SETTING));
  });
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
