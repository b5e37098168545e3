import { requireSignedIn } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { findAccountById } from "../queries.server.ts";

export interface Profile {
  id: string;
  email: string;
  displayName: string;
  role: "user" | "admin";
}

/** The profile of the signed-in account. @throws DomainError 'unauthenticated' */
export async function readProfile(ctx: Context): Promise<Profile> {
  const account = await findAccountById(ctx.db, requireSignedIn(ctx, "reads").userId);
  if (account === undefined) throw new DomainError("unauthenticated");
  const { id, email, displayName, role } = account;
  return { id, email, displayName, role };
}
