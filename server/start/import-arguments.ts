import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigurationError } from "../env.ts";
import { splitArguments } from "./command-arguments.ts";

/** What `npm run import` is asked to do. */
export interface ImportArguments {
  /** The folder or zip with the old shop's documents; absolute. */
  path: string;
  dryRun: boolean;
  removesDemo: boolean;
  withoutPasswords: boolean;
}

export const IMPORT_HELP = `Imports the documents of an old shop: people with their passwords, tools, purchases, codes, coupons and credentials.

  npm run import -- FOLDER_OR_ZIP [--dry-run] [--remove-demo-tools] [--without-passwords]

  FOLDER_OR_ZIP         one file for each collection: tools.json, Users.json, user_purchases.ndjson …, and
                        accounts.json with hash-config.json for the passwords
  --dry-run             says what would become of the documents, and imports nothing
  --remove-demo-tools   also removes the tools of the demo that nobody bought
  --without-passwords   imports accounts although hash-config.json is missing: everybody sets a new password

The shop may be running. A second run adds what is new and changes nothing else. The report is written to the
folder imports in DATA_DIR.`;

const FLAGS = ["--dry-run", "--remove-demo-tools", "--without-passwords"];

/**
 * Reads the arguments before anything is started.
 *
 * @returns null when the help is asked for
 * @throws ConfigurationError
 */
export function readImportArguments(args: readonly string[]): ImportArguments | null {
  const split = splitArguments(args, { flags: FLAGS, one: "folder or zip" });
  if (split === null) return null;
  const { path, flags } = split;
  if (path === undefined)
    throw new ConfigurationError(`Name the folder or zip of the export.\n\n${IMPORT_HELP}`);
  if (!existsSync(path)) throw new ConfigurationError(`There is no folder or file ${resolve(path)}.`);
  return {
    path: resolve(path),
    dryRun: flags.has("--dry-run"),
    removesDemo: flags.has("--remove-demo-tools"),
    withoutPasswords: flags.has("--without-passwords"),
  };
}
