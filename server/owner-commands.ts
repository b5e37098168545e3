import { KeyError } from "#adapters/cipher/cipher.ts";
import {
  addKeyToFile,
  type KeySource,
  type Keys,
  loadOrCreateKeys,
  removeKeysFromFile,
} from "#adapters/cipher/key-file.ts";
import {
  checkKeyFingerprints,
  findLostKeys,
  forgetVaultKeys,
  type KeyFingerprints,
  keyFingerprints,
  lockKnownKeys,
  replaceFingerprints,
} from "#adapters/cipher/key-fingerprints.ts";
import { endAllSessions } from "#core/accounts/sessions.server.ts";
import { type AuthorisedContext, requireSystem } from "#core/authorise.ts";
import type { Context } from "#core/context.ts";
import {
  giveUpSecrets,
  type Resealed,
  resealSecrets,
  retireVaultKeys,
} from "#core/vault/rotate-keys.server.ts";
import { inSavepoint } from "#db/transaction.ts";
import { compose } from "./compose.ts";
import type { Env } from "./env.ts";
import { createLog, createOutageLog, printLines } from "./log.ts";
import { type AskOwner, requireYes } from "./start/ask-owner.ts";

/** What was lost with the keys. `secrets`: null when the vault's keys belong to the database. */
interface GivenUp {
  secrets: Resealed | null;
  sessions: boolean;
}

/**
 * Makes the present keys the keys of the database. What only lost keys open is deleted: access codes and credentials, and the
 * sessions. The fingerprints come last, so that a run that is killed is simply repeated.
 */
export async function giveUpKeys(ctx: Context, own: KeyFingerprints): Promise<GivenUp> {
  requireSystem(ctx);
  const lost = await findLostKeys(ctx.db, own);
  const secrets = lost.vault ? await giveUpSecrets(ctx) : null;
  if (lost.auth) await endAllSessions(ctx);
  if (lost.auth || lost.vault) await replaceFingerprints(ctx.db, own);
  return { secrets, sessions: lost.auth };
}

/** Asks the owner, gives up what the lost keys protect, and prints what that was. The shop must not run. */
export async function giveUpKeysAndPrint(options: {
  env: Env;
  databaseUrl: string;
  embedded: boolean;
  askOwner: AskOwner;
}): Promise<void> {
  const { env, databaseUrl, embedded, askOwner } = options;
  await requireYes(askOwner, {
    question:
      "If a key of the vault is lost, this deletes all access codes and shared passwords; if the key of sign-ins is lost, it ends every session. Users, passes and purchases stay. Restore the folder keys from a backup instead if there is one.",
    flag: "--yes",
  });
  const log = createOutageLog(createLog("warn"));
  const shop = await compose(env, databaseUrl, embedded, log, { replacesLostKeys: true });
  try {
    const lines = describe(await giveUpKeys(shop.systemContext(), keyFingerprints(shop.keys)));
    printLines(["", ...lines, ""]);
  } finally {
    await shop.close();
  }
}

function describe({ secrets, sessions }: GivenUp): string[] {
  if (secrets === null && !sessions) return ["These are the keys of this database. Nothing was changed."];
  return [
    ...(secrets === null
      ? ["The access codes and shared passwords are kept."]
      : [
          `Deleted: ${secrets.accessCodes} access codes and ${secrets.credentials} shared passwords. Enter them again in the admin area.`,
          ...(secrets.importedDocuments === 0
            ? []
            : [
                `Deleted too: ${secrets.importedDocuments} documents of the old shop with codes or passwords. Importing the old shop again brings them back.`,
              ]),
        ]),
    ...(sessions ? ["Everybody has to sign in again."] : []),
    "Users, passes and purchases are kept. Start the shop now.",
  ];
}

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
    printLines(["", ...describeRotation(rotation), ""]);
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
  const { accessCodes, credentials, importedDocuments, payers } = rotation.resealed;
  return [
    ...(rotation.kind === "key-added" ? [`A new key was added: ${rotation.newestKeyId}.`] : []),
    `Encrypted with key ${rotation.newestKeyId}: ${accessCodes} access codes and ${credentials} passwords.`,
    ...(importedDocuments === 0 ? [] : [`And ${importedDocuments} documents of the old shop.`]),
    ...(payers === 0 ? [] : [`And the details of ${payers} payers.`]),
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
 * @throws DomainError 'forbidden'; KeyError when the keys do not belong to the database
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
  const isUnchanged = !isNew && Object.values(resealed).every((count) => count === 0);
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
  ctx: AuthorisedContext,
  source: KeySource,
  fromFile: boolean,
): Promise<{ keys: Keys; isNew: boolean } | null> {
  return inSavepoint(ctx.db, async (tx) => {
    // Locked until the key is in the file, so that only one of two runs at once adds a key.
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

/** Only one of several runs at a time changes the file. */
async function underRotationLock(ctx: AuthorisedContext, change: () => Promise<void>): Promise<void> {
  await inSavepoint(ctx.db, async (tx) => {
    await lockKnownKeys(tx);
    await change();
  });
}

async function resealAll(ctx: Context): Promise<Resealed> {
  const total: Resealed = { accessCodes: 0, credentials: 0, importedDocuments: 0, payers: 0 };
  for (;;) {
    const { accessCodes, credentials, importedDocuments, payers } = await resealSecrets(ctx, {
      limit: BATCH,
    });
    if (accessCodes + credentials + importedDocuments + payers === 0) return total;
    total.accessCodes += accessCodes;
    total.credentials += credentials;
    total.importedDocuments += importedDocuments;
    total.payers += payers;
  }
}
