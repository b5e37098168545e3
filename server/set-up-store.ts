import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { completeOldLinks } from "#adapters/better-auth/google-accounts.ts";
import { checkKeyFingerprints, keyFingerprints } from "#adapters/cipher/key-fingerprints.ts";
import { GOOGLE_ISSUER, issuerOf } from "#adapters/openid/openid-provider.ts";
import { keySimpleCodes } from "#core/access-codes/key-simple-codes.server.ts";
import { ensureFirstAdmin, type FirstAdmin } from "#core/accounts/set-up-admin.server.ts";
import { type CatalogueFile, parseCatalogueFile } from "#core/catalog/catalogue-file/catalogue-file.ts";
import { seedCatalogue } from "#core/catalog/catalogue-file/seed-catalogue.server.ts";
import { migrateDatabase } from "#db/migrate.ts";
import type { Composition } from "./compose.ts";
import type { Env } from "./env.ts";

/**
 * Prepares the database for the first request: schema, check of the keys, demo catalogue, first admin. Several processes
 * may call this at once: one does the work and the others wait.
 */
export async function setUpStore(env: Env, shop: Composition, databaseUrl: string): Promise<FirstAdmin> {
  let admin: FirstAdmin | undefined;
  const afterwards = async () => {
    await checkKeyFingerprints(shop.db, keyFingerprints(shop.keys));
    await completeOldLinks(shop.db, env.google ? issuerOf(env.google.discoveryUrl) : GOOGLE_ISSUER);
    await keySimpleCodes(shop.systemContext());
    if (env.demo) {
      await seedCatalogue(shop.systemContext(), await readDemoCatalogue());
    }
    admin = await ensureFirstAdmin(
      shop.systemContext(),
      env.adminPassword === undefined ? {} : { password: env.adminPassword },
    );
  };
  const onWait = () =>
    shop.systemContext().log.warn({}, "another program holds a lock that a migration needs; trying again");
  await migrateDatabase(databaseUrl, { afterwards, onWait });
  if (!admin) throw new Error("the setup did not run");
  return admin;
}

/** @throws CatalogueFileError */
export async function readDemoCatalogue(): Promise<CatalogueFile> {
  return parseCatalogueFile(await readFile(join(process.cwd(), "db/seed/demo-catalogue.json"), "utf8"));
}
