import { readProfile } from "#core/accounts/profile/read-profile.server.ts";
import type { Context } from "#core/context.ts";
import { listMyAccess } from "#core/entitlements/list-my-access.server.ts";
import type { PageReader, PageUser } from "./request-context.ts";

/** The reader of a request. Reads nothing before it is asked: without a database the actor is unknown. */
export const readerOf = (ctx: Context): PageReader => ({
  user: () => readUser(ctx),
  accessUntil: () => readAccess(ctx),
});

const isSignedIn = ({ actor }: Context) => actor.kind === "user" || actor.kind === "admin";

async function readAccess(ctx: Context): Promise<ReadonlyMap<string, Date>> {
  return isSignedIn(ctx) ? listMyAccess(ctx) : new Map();
}

async function readUser(ctx: Context): Promise<PageUser | null> {
  if (!isSignedIn(ctx)) return null;
  const { email, displayName, role } = await readProfile(ctx);
  return { email, displayName, isAdmin: role === "admin" };
}
