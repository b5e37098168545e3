import { readProfile } from "#core/accounts/profile.server.ts";
import type { Context } from "#core/context.ts";
import { listMyAccess } from "#core/passes/access.server.ts";

/** The person who reads a page, as far as every page shows it. */
export interface PageUser {
  email: string;
  displayName: string;
  isAdmin: boolean;
}

const isSignedIn = ({ actor }: Context) => actor.kind === "user" || actor.kind === "admin";

/** null for a visitor. */
export async function readUser(ctx: Context): Promise<PageUser | null> {
  if (!isSignedIn(ctx)) return null;
  const { email, displayName, role } = await readProfile(ctx);
  return { email, displayName, isAdmin: role === "admin" };
}

/** Until when the reader may open each tool, by its slug (UTC). Empty for a visitor. */
export async function readAccess(ctx: Context): Promise<ReadonlyMap<string, Date>> {
  return isSignedIn(ctx) ? listMyAccess(ctx) : new Map();
}
