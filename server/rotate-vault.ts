import { compose } from "./compose.ts";
import type { Env } from "./env.ts";
import { createLog } from "./log.ts";
import { createOutageLog } from "./outage-log.ts";
import { type Rotation, rotateKeys } from "./rotate-keys.ts";

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
