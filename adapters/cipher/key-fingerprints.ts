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

/** What can be told of each key without telling the key; `vault` by key id. */
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
 * Compares this process's keys with the ones the database was first used with, and notes them on first use. Further
 * vault keys are welcome and noted too: from then on every process needs them, for values may be sealed with them.
 *
 * @throws KeyError when a noted key is missing or differs: signing in or opening codes would fail piece by piece
 */
export async function checkKeyFingerprints(executor: Executor, mine: KeyFingerprints): Promise<void> {
  await executor.transaction(async (tx) => {
    await tx.insert(settings).values({ key: SETTING, value: mine }).onConflictDoNothing();
    const [row] = await tx.select().from(settings).where(eq(settings.key, SETTING)).for("update");
    const noted = fingerprintsSchema.parse(row?.value);
    const problem = differenceOf(noted, mine);
    if (problem !== undefined) throw new KeyError(problem);
    const vault = { ...noted.vault, ...mine.vault };
    if (Object.keys(vault).length === Object.keys(noted.vault).length) return;
    await tx
      .update(settings)
      .set({ value: { ...noted, vault } })
      .where(eq(settings.key, SETTING));
  });
}

function differenceOf(noted: KeyFingerprints, mine: KeyFingerprints): string | undefined {
  if (mine.auth !== noted.auth) {
    return `The authentication secret differs from the one this database is used with; ${REMEDY}.`;
  }
  for (const [id, known] of Object.entries(noted.vault)) {
    const here = mine.vault[id];
    if (here === known) continue;
    const what = here === undefined ? "is missing" : "differs";
    return `The vault key "${id}" ${what}, which this database is used with; ${REMEDY}.`;
  }
  if (mine.lookup !== noted.lookup) {
    return "The lookup key differs from the one this database is used with; keep the oldest of VAULT_KEYS last, or list it as lookup.";
  }
  return undefined;
}
