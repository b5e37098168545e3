import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "../env.ts";

/**
 * Checks that there are keys to rotate, before a database is started. Otherwise new keys would be created, which are not
 * those of the shop.
 *
 * @throws ConfigurationError
 */
export function checkVaultKeyFile({
  vaultKeys,
  dataDir,
}: {
  vaultKeys: readonly string[];
  dataDir: string;
}): void {
  // The same path as in adapters/cipher/key-file.ts, which is a part of the bundle and not loaded yet.
  if (vaultKeys.length > 0 || existsSync(join(dataDir, "keys", "vault-keys"))) return;
  throw new ConfigurationError(
    `There are no keys in ${join(dataDir, "keys")}: run this with the settings of the shop, after its first start.`,
  );
}
