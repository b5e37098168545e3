import type { Executor } from "#db/database.ts";
import { secretVersion } from "../vault/secret-version.ts";
import { type CredentialChoice, offersCredential } from "./offers-credential.ts";
import { findToolCredential } from "./tool-credential-queries.server.ts";

/**
 * The sign-in that a tool's page offers; null when the tool has none. The version changes with the e-mail address and the
 * password, and is null while no credential is found. The caller authorises.
 */
export async function readToolCredential(
  executor: Executor,
  tool: CredentialChoice,
): Promise<{ version: string | null } | null> {
  if (!offersCredential(tool)) return null;
  const { credential } = await findToolCredential(executor, tool);
  if (credential === null) return { version: null };
  return { version: secretVersion({ id: credential.id, changedAt: credential.signInChangedAt }) };
}
