import { and, asc, eq, inArray, ne, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { credentials } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { changedFields, recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import {
  keepCredentialsInUse,
  selectCredentialsOfServices,
  selectToolsByService,
} from "../catalog/keep-credentials.server.ts";
import type { CredentialOfService } from "../catalog/kept-credentials.ts";
import type { Context } from "../context.ts";
import { DomainError } from "../errors.ts";
import { type List, type ListInput, listFields, makeList, type PageOfIds } from "../lists/paging.ts";
import { type SortKey, selectListPage } from "../lists/select-page.server.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import { openPassword, sealPassword } from "../vault/seal-secrets.ts";
import {
  createCredentialSchema,
  credentialIdSchema,
  ensureCredentialSchema,
  newEmail,
  updateCredentialSchema,
} from "./schemas.ts";

const listSchema = z.object(listFields(["createdAt", "service", "email"]));

type ListQuery = z.output<typeof listSchema>;

export interface ListedCredential {
  id: string;
  service: string;
  email: string;
  /** The first four characters and eight asterisks; only asterisks for a password of at most four characters. */
  passwordMasked: string;
  isActive: boolean;
  version: number;
  createdAt: Date;
}

const SORT_KEYS: Record<ListQuery["sort"], SortKey[]> = {
  createdAt: [{ column: sql`${credentials.createdAt}` }],
  service: [{ column: sql`lower(${credentials.service})` }],
  email: [{ column: sql`lower(${credentials.email})` }],
};

/**
 * The shared credentials, newest first unless the input says otherwise. Passwords are masked: the requirements ask for the first
 * four characters in this list, so it needs no recent password.
 *
 * @param input `q`: a part of the service or e-mail address; `sort`: createdAt, service or email; `direction`; `page`
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listCredentials(ctx: Context, input: ListInput): Promise<List<ListedCredential>> {
  requireAdmin(ctx, "reads");
  const page = await selectCredentialIds(ctx, listSchema.parse(input));
  const found = await ctx.db.select().from(credentials).where(inArray(credentials.id, page.ids));
  const rows = found.map(({ id, service, email, passwordSealed, isActive, version, createdAt }) => {
    const place = { table: "credentials", rowId: id, column: "password_sealed" };
    const passwordMasked = maskPassword(ctx.ports.cipher.open(passwordSealed, place));
    return { id, service, email, passwordMasked, isActive, version, createdAt };
  });
  return makeList(page, rows);
}

function selectCredentialIds(ctx: AuthorisedContext, { sort, ...parsed }: ListQuery): Promise<PageOfIds> {
  return selectListPage(ctx.db, {
    ...parsed,
    from: sql`${credentials}`,
    id: sql`${credentials.id}`,
    listed: sql`true`,
    keys: SORT_KEYS[sort],
    search: (matches) => [matches(credentials.service, "name"), matches(credentials.email)],
  });
}

const SHOWN_CHARACTERS = 4;

/** The asterisks do not tell the length. */
function maskPassword(password: string): string {
  const characters = [...password];
  const shown = characters.length > SHOWN_CHARACTERS ? characters.slice(0, SHOWN_CHARACTERS).join("") : "";
  return `${shown}********`;
}

/** A credential that a tool can name as its own. */
export interface CredentialToChoose extends CredentialOfService {
  email: string;
}

/**
 * All credentials by service and address, without passwords.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listCredentialChoices(ctx: Context): Promise<CredentialToChoose[]> {
  requireAdmin(ctx, "reads");
  return ctx.db
    .select({
      id: credentials.id,
      service: credentials.service,
      email: credentials.email,
      isActive: credentials.isActive,
    })
    .from(credentials)
    .orderBy(asc(credentials.service), asc(credentials.email), asc(credentials.id));
}

/** A tool that finds its credential by its service. */
export type ToolByService = Omit<Awaited<ReturnType<typeof selectToolsByService>>[number], "deletedAt">;

/**
 * The tools that find their credential by its service, by name, so that a form can say which of them keep theirs.
 *
 * @throws DomainError 'unauthenticated', 'forbidden'
 */
export async function listToolsByService(ctx: Context): Promise<ToolByService[]> {
  requireAdmin(ctx, "reads");
  const found = await selectToolsByService(ctx.db);
  return found.flatMap(({ deletedAt, ...tool }) => (deletedAt === null ? [tool] : []));
}

/**
 * Adds a shared sign-in of a service. The password is sealed. A tool of this service keeps the sign-in that its buyers get
 * now, until the owner chooses another credential.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'credential-taken'
 */
export async function createCredential(
  ctx: Context,
  input: z.input<typeof createCredentialSchema> | UntrustedInput,
): Promise<{ id: string }> {
  requireAdmin(ctx, "replaces-secret");
  const credential = parseInput(createCredentialSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    if (await isCredentialTaken(tx, credential)) throw new DomainError("credential-taken");
    return { id: await insertCredential(ctx, tx, credential) };
  });
}

/** Writes a credential with its audit event. The caller holds the edit lock, and has checked that none is equal. */
async function insertCredential(
  ctx: Context,
  tx: Transaction,
  { password, ...fields }: z.output<typeof createCredentialSchema>,
): Promise<string> {
  const id = uuidv7();
  const passwordSealed = sealPassword(ctx.ports.cipher, id, password);
  const now = ctx.clock.now();
  const others = await selectCredentialsOfServices(tx);
  await tx
    .insert(credentials)
    .values({ id, ...fields, passwordSealed, signInChangedAt: now, createdAt: now });
  changed(tx, credentials);
  await recordAudit(ctx, tx, {
    action: "credential.created",
    subjectType: "credential",
    subjectId: id,
    details: { after: fields },
  });
  await keepCredentialsInUse(ctx, tx, others);
  return id;
}

/**
 * Adds an active shared sign-in. A sign-in of the service with this email address stays as it is instead.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input'
 */
export async function ensureCredential(
  ctx: Context,
  input: z.input<typeof ensureCredentialSchema> | UntrustedInput,
): Promise<{ id: string; isNew: boolean }> {
  requireAdmin(ctx, "replaces-secret");
  const wanted = parseInput(ensureCredentialSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const found = await findCredential(tx, wanted);
    if (found !== null) return { id: found.id, isNew: false };
    return { id: await insertCredential(ctx, tx, { ...wanted, isActive: true }), isNew: true };
  });
}

/**
 * Changes a shared sign-in. Without a password the stored one stays. The audit event says whether it changed. Tools keep the
 * sign-in that they give now, as when a credential is added.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found', 'credential-taken',
 *   'changed-meanwhile' (the row no longer has `version`)
 */
export async function updateCredential(
  ctx: Context,
  input: z.input<typeof updateCredentialSchema> | UntrustedInput,
): Promise<{ version: number }> {
  requireAdmin(ctx, "replaces-secret");
  const { id, version, password, ...typed } = parseInput(updateCredentialSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockCredential(tx, id);
    if (before === null) throw new DomainError("not-found");
    if (before.version !== version) throw new DomainError("changed-meanwhile");
    const { email } =
      before.email === typed.email ? before : parseInput(z.object({ email: newEmail }), typed);
    const fields = { ...typed, email };
    if (await isCredentialTaken(tx, fields, id)) throw new DomainError("credential-taken");
    const { cipher } = ctx.ports;
    const passwordChanged = password !== null && password !== openPassword(cipher, before);
    const now = ctx.clock.now();
    const signInChanged = passwordChanged || before.email !== fields.email;
    const inUse = await selectCredentialsOfServices(tx);
    await tx
      .update(credentials)
      .set({
        ...fields,
        ...(passwordChanged && { passwordSealed: sealPassword(cipher, id, password) }),
        ...(signInChanged && { signInChangedAt: now }),
        version: sql`${credentials.version} + 1`,
        updatedAt: now,
      })
      .where(eq(credentials.id, id));
    changed(tx, credentials);
    await recordAudit(ctx, tx, {
      action: "credential.updated",
      subjectType: "credential",
      subjectId: id,
      details: { ...changedFields(before, fields), passwordChanged },
    });
    await keepCredentialsInUse(ctx, tx, inUse);
    return { version: version + 1 };
  });
}

/**
 * Removes a shared sign-in, for good.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found'
 */
export async function deleteCredential(ctx: Context, input: { id: string } | UntrustedInput): Promise<void> {
  requireAdmin(ctx, "deletes");
  const { id } = parseInput(credentialIdSchema, input);
  await inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const credential = await lockCredential(tx, id);
    if (credential === null) throw new DomainError("not-found");
    await tx.delete(credentials).where(eq(credentials.id, id));
    changed(tx, credentials);
    const { service, email, isActive } = credential;
    await recordAudit(ctx, tx, {
      action: "credential.deleted",
      subjectType: "credential",
      subjectId: id,
      details: { before: { service, email, isActive } },
    });
  });
}

/**
 * The password of a shared sign-in, in plain text. Audited, without the password.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found'
 */
export async function revealCredential(
  ctx: Context,
  input: { id: string } | UntrustedInput,
): Promise<{ password: string }> {
  requireAdmin(ctx, "reveals-secret");
  const { id } = parseInput(credentialIdSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    const credential = await lockCredential(tx, id);
    if (credential === null) throw new DomainError("not-found");
    const password = openPassword(ctx.ports.cipher, credential);
    await recordAudit(ctx, tx, {
      action: "credential.revealed",
      subjectType: "credential",
      subjectId: id,
      details: { service: credential.service, email: credential.email },
    });
    return { password };
  });
}

/** The row with its sealed password, locked until the end of the transaction; null when there is none. */
async function lockCredential(tx: Transaction, id: string) {
  const [credential] = await tx.select().from(credentials).where(eq(credentials.id, id)).for("update");
  return credential ?? null;
}

/** The credential of this service and e-mail address. Case of the address is ignored. */
async function findCredential(
  tx: Transaction,
  { service, email }: { service: string; email: string },
): Promise<{ id: string } | null> {
  const [credential] = await tx
    .select({ id: credentials.id })
    .from(credentials)
    .where(and(eq(credentials.service, service), eq(sql`lower(${credentials.email})`, sql`lower(${email})`)));
  return credential ?? null;
}

/** Whether another credential is for this service and e-mail address. Case is ignored. */
async function isCredentialTaken(
  tx: Transaction,
  { service, email }: { service: string; email: string },
  exceptId?: string,
): Promise<boolean> {
  const taken = and(
    eq(credentials.service, service),
    eq(sql`lower(${credentials.email})`, sql`lower(${email})`),
    exceptId === undefined ? undefined : ne(credentials.id, exceptId),
  );
  return (await tx.$count(credentials, taken)) > 0;
}
