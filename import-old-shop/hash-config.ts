import { z } from "zod";
import type { ImportedHashConfig } from "#core/accounts/authenticator.ts";
import type { ImportRun } from "./import-run.ts";
import { DocumentExportError } from "./source.ts";

const hashConfigSchema = z.object({
  algorithm: z.string(),
  base64_signer_key: z.string(),
  base64_salt_separator: z.string(),
  rounds: z.coerce.number().int(),
  mem_cost: z.coerce.number().int(),
});

/**
 * How the passwords of the old shop are hashed.
 *
 * @param text of the file: JSON, or `hash_config { algorithm: SCRYPT, … }` as the console of the hosted service shows it; null
 *   without the file
 * @returns null when `withoutPasswords` allows it
 * @throws DocumentExportError when accounts have passwords that cannot be taken over
 */
export async function readHashConfig(
  run: ImportRun,
  text: string | null,
  { withoutPasswords }: { withoutPasswords: boolean },
): Promise<ImportedHashConfig | null> {
  const config = text === null ? undefined : hashConfigSchema.safeParse(hashConfigOf(text)).data;
  const hasAccounts = run.files.has("accounts");
  if (text !== null && !hasAccounts)
    run.report.notice("hash-config.json is there, but no accounts.json, so no password can be taken over.");
  if (config !== undefined) return config;
  const problem =
    text === null
      ? "There is no hash-config.json beside the accounts"
      : "hash-config.json lacks one of algorithm, base64_signer_key, base64_salt_separator, rounds and mem_cost";
  if (!(hasAccounts && (await hasPasswords(run)))) {
    if (text !== null) run.report.notice(`${problem}.`);
    return null;
  }
  if (!withoutPasswords)
    throw new DocumentExportError(
      `${problem}, so nobody could sign in with the old password. Copy the password hash parameters of the old shop's sign-in service (Authentication, Users, the menu above the list) into a file hash-config.json beside the accounts. To import without passwords, run the command with --without-passwords: everybody then sets a new one by a reset link.`,
    );
  run.report.notice(`${problem}, so no password is taken over: everybody sets a new one by a reset link.`);
  return null;
}

function hashConfigOf(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    const wrapped = z.union([
      z.object({ hash_config: z.unknown() }).transform(({ hash_config }) => hash_config),
      z.object({ hashConfig: z.unknown() }).transform(({ hashConfig }) => hashConfig),
    ]);
    return wrapped.safeParse(json).data ?? json;
  } catch {
    return Object.fromEntries(
      [...text.matchAll(/(\w+)"?\s*[:=]\s*"?([\w+/=-]+)/g)].map(([, name, value]) => [name, value]),
    );
  }
}

async function hasPasswords(run: ImportRun): Promise<boolean> {
  for (const { file } of run.files.get("accounts") ?? [])
    for await (const result of file.read())
      if (result.kind === "document" && result.document.fields.passwordHash) return true;
  return false;
}
