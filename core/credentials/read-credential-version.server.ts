import type { Executor } from "#db/database.ts";
import { secretVersion } from "../vault/secret-version.ts";
import { findActiveCredential } from "./tool-credential-queries.server.ts";

/**
 * The version of the sign-in that buyers of a tool with this service get: it changes with the e-mail address and the
 * password. Null without an active credential. The caller authorises.
 */
export async function readCredentialVersion(executor: Executor, service: string): Promise<string | null> {
  const found = await findActiveCredential(executor, service);
  return found === null ? null : secretVersion({ id: found.id, changedAt: found.signInChangedAt });
}
