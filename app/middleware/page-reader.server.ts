import { readProfile } from "#core/accounts/profile/read-profile.server.ts";
import type { Context } from "#core/context.ts";
import { listMyAccess } from "#core/entitlements/list-my-access.server.ts";
import type { PageReader, PageUser } from "./request-context.ts";

/** The reader of a request. Each fact is read once. */
export function readerOf(ctx: Context): PageReader {
  let user: ReturnType<PageReader["user"]> | undefined;
  let accessUntil: ReturnType<PageReader["accessUntil"]> | undefined;
  const isSignedIn = ctx.actor.kind === "user" || ctx.actor.kind === "admin";
  return {
    user() {
      user ??= isSignedIn ? readUser(ctx) : Promise.resolve(null);
      return user;
    },
    accessUntil() {
      accessUntil ??= isSignedIn ? listMyAccess(ctx) : Promise.resolve(new Map());
      return accessUntil;
    },
  };
}

async function readUser(ctx: Context): Promise<PageUser> {
  const { email, displayName, role } = await readProfile(ctx);
  return { email, displayName, isAdmin: role === "admin" };
}
