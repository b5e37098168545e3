import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import { users } from "#db/tables/accounts.ts";
import { inTransaction } from "#db/transaction.ts";
import { LANGUAGE_CODES } from "#languages/languages.ts";
import { recordAudit } from "../audit/record-audit.server.ts";
import { allowAnyone, requireSignedIn } from "../authorise.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { isSignedInRecently } from "./change-password.server.ts";
import { type ListedUser, PROFILE_COLUMNS } from "./manage-users.server.ts";
import {
  findAccountById,
  findProfile,
  type ProfileRow,
  setDisplayName,
  setLanguage,
} from "./queries.server.ts";
import { NAME_MAXIMUM, NAME_MISSING, NAME_TOO_LONG } from "./rules.ts";
import { cleanName } from "./schemas.ts";

interface Profile {
  id: string;
  email: string;
  displayName: string;
  role: "user" | "admin";
}

/** The profile of the signed-in account. @throws DomainError 'unauthenticated' */
export async function readProfile(ctx: Context): Promise<Profile> {
  requireSignedIn(ctx, "reads");
  const account = await findAccountById(ctx.db, ctx.actor.userId);
  if (account === undefined) throw new DomainError("unauthenticated");
  const { id, email, displayName, role } = account;
  return { id, email, displayName, role };
}

export interface MyAccount extends ProfileRow {
  /** Whether it has a password. Without one it opens with Google only. */
  hasPassword: boolean;
  /** Whether it opens with Google, or with the provider in its place. */
  hasGoogle: boolean;
  /** Whether this session began at most 15 minutes ago. `confirmOwner` needs that in an account without a password. */
  isSignedInRecently: boolean;
}

/** The account of the signed-in person, for the account page. @throws DomainError unauthenticated */
export async function readMyAccount(ctx: Context): Promise<MyAccount> {
  requireSignedIn(ctx, "reads");
  const { userId } = ctx.actor;
  const { authenticator, identityProvider } = ctx.ports;
  const [profile, hasPassword, google, isRecent] = await Promise.all([
    findProfile(ctx.db, userId),
    authenticator.hasPassword(ctx.db, { userId }),
    identityProvider && authenticator.findGoogleAccount(ctx.db, { userId, issuer: identityProvider.issuer }),
    isSignedInRecently(ctx),
  ]);
  if (profile === undefined) throw new DomainError("unauthenticated");
  return { ...profile, hasPassword, hasGoogle: google !== null, isSignedInRecently: isRecent };
}

/** The whole stored profile of an account. */
export type StoredProfile = ListedUser;

/**
 * What is stored about the person of this browser. `signed-out`: there is no session. `missing`: there is a session, and its
 * account has no profile, because it was deleted while the session started or by hand in the database.
 */
type SessionProfile =
  | { state: "signed-out" }
  | { state: "missing" }
  | { state: "found"; profile: StoredProfile };

/**
 * The profile of the person who asks, and of nobody else. Unlike every other operation, it distinguishes a visitor from
 * somebody whose profile is missing. A disabled account is signed out.
 */
export async function readSessionProfile(ctx: Context): Promise<SessionProfile> {
  allowAnyone(ctx);
  const userId = await findUserId(ctx);
  if (userId === null) return { state: "signed-out" };
  const [profile] = await ctx.db
    .select(PROFILE_COLUMNS)
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)));
  if (profile === undefined) return { state: "missing" };
  return ctx.actor.kind === "visitor" ? { state: "signed-out" } : { state: "found", profile };
}

/** The account of the session, also when the session no longer makes its browser a signed-in actor. */
async function findUserId({ actor, browser, ports }: Context): Promise<string | null> {
  if (actor.kind === "user" || actor.kind === "admin") return actor.userId;
  if (actor.kind !== "visitor" || browser === undefined) return null;
  return (await ports.authenticator.resolveSession(browser))?.userId ?? null;
}

const changeNameInput = z.object({
  name: z
    .string({ error: NAME_MISSING })
    // Texts from other programs bring line breaks, double spaces and invisible characters along.
    .transform(cleanName)
    .pipe(z.string().min(1, NAME_MISSING).max(NAME_MAXIMUM, NAME_TOO_LONG)),
});

/**
 * A signed-in person changes the name that the shop shows. The audit event has no names: the log keeps no personal data of an
 * account that is deleted later.
 *
 * @throws DomainError unauthenticated, changes-too-fast, invalid-input
 */
export async function changeName(
  ctx: Context,
  input: z.input<typeof changeNameInput> | UntrustedInput,
): Promise<{ name: string }> {
  requireSignedIn(ctx, "own-account");
  const { userId } = ctx.actor;
  const { name } = parseInput(changeNameInput, input);
  await ctx.ports.rateLimiter.consume("name-account", userId);
  await inTransaction(ctx.db, async (tx) => {
    await setDisplayName(tx, userId, name);
    await recordAudit(ctx, tx, { action: "account.renamed", subjectType: "user", subjectId: userId });
  });
  return { name };
}

const changeLanguageInput = z.object({ language: z.enum(LANGUAGE_CODES) });

/**
 * A signed-in person chooses the language of mails. It is not audited, because it opens and shows nothing.
 *
 * @throws DomainError unauthenticated, invalid-input
 */
export async function changeLanguage(
  ctx: Context,
  input: z.input<typeof changeLanguageInput> | UntrustedInput,
): Promise<void> {
  requireSignedIn(ctx, "own-account");
  const { userId } = ctx.actor;
  const { language } = parseInput(changeLanguageInput, input);
  await setLanguage(ctx.db, userId, language);
}
