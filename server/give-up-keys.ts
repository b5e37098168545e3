import {
  findLostKeys,
  type KeyFingerprints,
  keyFingerprints,
  replaceFingerprints,
} from "#adapters/cipher/key-fingerprints.ts";
import { endAllSessions } from "#core/accounts/sessions.server.ts";
import type { Context } from "#core/context.ts";
import { giveUpSecrets, type Resealed } from "#core/vault/rotate-keys.server.ts";
import { type AskOwner, requireYes } from "./ask-owner.ts";
import { compose } from "./compose.ts";
import type { Env } from "./env.ts";
import { createLog } from "./log.ts";
import { createOutageLog } from "./outage-log.ts";

/** What was lost with the keys. `secrets`: null when the vault's keys are those of the database. */
interface GivenUp {
  secrets: Resealed | null;
  sessions: boolean;
}

/**
 * Makes the present keys those of the database. What only lost keys open is deleted: access codes and credentials, and the
 * sessions. The fingerprints come last, so that a run that is killed is simply repeated.
 */
export async function giveUpKeys(ctx: Context, own: KeyFingerprints): Promise<GivenUp> {
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
    process.stdout.write(`\n${lines.map((line) => `  ${line}`).join("\n")}\n\n`);
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
        ]),
    ...(sessions ? ["Everybody has to sign in again."] : []),
    "Users, passes and purchases are kept. Start the shop now.",
  ];
}
