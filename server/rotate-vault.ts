import { type KeySource, type Keys, loadOrCreateKeys } from "#adapters/cipher/key-file.ts";
import {
  checkKeyFingerprints,
  forgetVaultKeys,
  keyFingerprints,
  lockKnownKeys,
} from "#adapters/cipher/key-fingerprints.ts";
import { addKeyToFile, removeKeysFromFile } from "#adapters/cipher/rotate-key-file.ts";
import { KeyError } from "#adapters/cipher/vault-keys.ts";
import { requireSystem } from "#core/authorise.ts";
import type { Context } from "#core/context.ts";
import { type Resealed, resealSecrets, retireVaultKeys } from "#core/vault/rotate-keys.server.ts";
import { inSavepoint } from "#db/transaction.ts";
import { compose } from "./compose.ts";
import type { Env } from "./env.ts";
import { createLog } from "./log.ts";
import { createOutageLog } from "./outage-log.ts";

/** Rotates the keys of the vault and prints what was done. The owner runs it on the shop's machine, and the shop may run. */
export async function rotateVaultAndPrint(options: {
  env: Env;
  databaseUrl: string;
  embedded: boolean;
}): Promise<void> {
  const { env } = options;
  const shop = await compose(env, options.databaseUrl, options.embedded, createOutageLog(createLog("warn")));
  try {
    const { authSecret, vaultKeys, dataDir } = env;
    const source = { authSecret, vaultKeys, dataDir, mayGenerate: options.embedded || env.originIsLoopback };
    const rotation = await rotateKeys(shop.systemContext(), source);
    process.stdout.write(
      `\n${describeRotation(rotation)
        .map((line) => `  ${line}`)
        .join("\n")}\n\n`,
    );
  } finally {
    await shop.close();
  }
}

function describeRotation(rotation: Rotation): string[] {
  if (rotation.kind === "no-new-key") {
    return [
      "The keys are in VAULT_KEYS, so nothing was changed. Put a new key first and keep the others:",
      'VAULT_KEYS="name:<output of openssl rand -base64 32>,<the present value>"',
      "The name must be new. Restart every process of the shop with it, then run this command again.",
    ];
  }
  if (rotation.kind === "keys-removed") {
    const ids = rotation.keyIds.join(", ");
    return rotation.fromFile
      ? [`The rotation is complete. The old key was removed: ${ids}.`]
      : [
          `No code or password needs the old key any more: ${ids}.`,
          "Remove it from VAULT_KEYS now and restart the shop. When it is the last entry, rename it to lookup instead.",
        ];
  }
  const { accessCodes, credentials } = rotation.resealed;
  return [
    ...(rotation.kind === "key-added" ? [`A new key was added: ${rotation.newestKeyId}.`] : []),
    `Encrypted with key ${rotation.newestKeyId}: ${accessCodes} access codes and ${credentials} passwords.`,
    "The old key is kept for now. Run this command once more to remove it.",
  ];
}

/** Rows of one transaction: few enough that an admin's edit hardly waits. */
const BATCH = 100;

/** What one run did. A rotation takes two: the first adds a key and seals with it, the second removes the old key. */
type Rotation =
  /** The only key is in the variable; nothing was changed. */
  | { kind: "no-new-key" }
  | { kind: "key-added" | "continued"; newestKeyId: string; resealed: Resealed }
  | { kind: "keys-removed"; keyIds: string[]; fromFile: boolean };

/**
 * Takes the rotation one step further. The keys themselves say how far it is: with one key it begins, with several it
 * goes on, so a run that was killed is simply repeated. The cipher of `ctx` must follow the key file.
 *
 * @throws DomainError 'forbidden'; KeyError when the keys are not those of the database
 */
export async function rotateKeys(ctx: Context, source: KeySource): Promise<Rotation> {
  requireSystem(ctx);
  const fromFile = source.vaultKeys.length === 0;
  const added = await prepareKeys(ctx, source, fromFile);
  if (added === null) return { kind: "no-new-key" };
  const { keys, isNew } = added;
  const [newest, ...old] = keys.keys.map(({ id }) => id);
  if (newest === undefined) throw new KeyError("There is no key.");
  const resealed = await resealAll(ctx);
  const isUnchanged = !isNew && resealed.accessCodes + resealed.credentials === 0;
  if (isUnchanged && (await retireVaultKeys(ctx, { keyIds: old }, forgetVaultKeys))) {
    // After the database: a file without a key that the database requires would keep the shop from starting.
    if (fromFile) await underRotationLock(ctx, () => removeKeysFromFile(source.dataDir, old));
    return { kind: "keys-removed", keyIds: old, fromFile };
  }
  return { kind: isNew ? "key-added" : "continued", newestKeyId: newest, resealed };
}

/**
 * Makes sure that there is a newer key than the oldest, and that every running shop can open what it seals.
 *
 * @returns null when the owner has to add the key
 */
async function prepareKeys(
  ctx: Context,
  source: KeySource,
  fromFile: boolean,
): Promise<{ keys: Keys; isNew: boolean } | null> {
  return inSavepoint(ctx.db, async (tx) => {
    // Locked until the key is in the file, so that of two runs at once only one adds a key.
    const known = await lockKnownKeys(tx);
    const keys = await loadOrCreateKeys(source);
    const newest = keys.keys[0]?.id ?? "";
    if (!fromFile && !known.includes(newest)) {
      throw new KeyError(
        `Restart the shop with the key "${newest}" of VAULT_KEYS first, then run this again.`,
      );
    }
    await checkKeyFingerprints(tx, keyFingerprints(keys));
    if (keys.keys.length > 1) return { keys, isNew: false };
    if (!fromFile) return null;
    await addKeyToFile(source.dataDir);
    const extended = await loadOrCreateKeys(source);
    await checkKeyFingerprints(tx, keyFingerprints(extended));
    return { keys: extended, isNew: true };
  });
}

/** Of several runs at once, one at a time changes the file. */
async function underRotationLock(ctx: Context, change: () => Promise<void>): Promise<void> {
  await inSavepoint(ctx.db, async (tx) => {
    await lockKnownKeys(tx);
    await change();
  });
}

async function resealAll(ctx: Context): Promise<Resealed> {
  const total: Resealed = { accessCodes: 0, credentials: 0 };
  for (;;) {
    const { accessCodes, credentials } = await resealSecrets(ctx, { limit: BATCH });
    if (accessCodes + credentials === 0) return total;
    total.accessCodes += accessCodes;
    total.credentials += credentials;
  }
}
