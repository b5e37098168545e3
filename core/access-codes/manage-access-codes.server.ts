import { eq, isNull, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Transaction } from "#db/database.ts";
import { lockEdits } from "#db/edit-lock.ts";
import { tools } from "#db/tables/catalog.ts";
import { accessCodes } from "#db/tables/vault.ts";
import { changed, inTransaction } from "#db/transaction.ts";
import { changedFields, recordAudit } from "../audit/record-audit.server.ts";
import { type AuthorisedContext, requireAdmin } from "../authorise.ts";
import {
  addFirstServer,
  endOneForEachBuyer,
  isServerPerBuyer,
  markServersPerBuyer,
  refuseMixedCodes,
  selectServers,
} from "../catalog/server-kinds.server.ts";
import {
  countCodesAndPasses,
  findServerByName,
  normaliseServerName,
  recountStock,
} from "../catalog/stock.server.ts";
import type { Context } from "../context.ts";
import { DomainError, InvalidInputError } from "../errors.ts";
import { parseInput, type UntrustedInput } from "../parse.ts";
import {
  bySimpleCode,
  foldSimpleCode,
  hashSimpleCode,
  makeSessionCode,
  openAccessCode,
  sealAccessCode,
  sealCodesOfRow,
} from "../vault/seal-secrets.ts";
import { findTakenCodes, hasOtherCode, lockAccessCode, selectToolName } from "./queries.server.ts";
import {
  accessCodeIdSchema,
  addSeveralAccessCodesSchema,
  CODES_AT_ONCE,
  codesPerBuyerSchema,
  createAccessCodeSchema,
  draftSessionCodeSchema,
  SIMPLE_CODE_LENGTH,
  updateAccessCodeSchema,
} from "./schemas.ts";

/**
 * A session code for the form that adds an access code. Nothing is stored; `createAccessCode` accepts it.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input', 'tool-not-found'
 */
export async function draftSessionCode(
  ctx: Context,
  input: { toolId: string } | UntrustedInput,
): Promise<{ sessionCode: string }> {
  requireAdmin(ctx, "reads");
  const { toolId } = parseInput(draftSessionCodeSchema, input);
  const toolName = await selectToolName(ctx.db, toolId);
  if (toolName === null) throw new DomainError("tool-not-found");
  return { sessionCode: makeSessionCode(toolName, ctx.clock.now()) };
}

/**
 * Adds an access code for one server of a tool: for one buyer when the server hands out one for each, otherwise for all.
 * Generates a session code when none is given.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found', 'access-code-taken'
 */
export async function createAccessCode(
  ctx: Context,
  input: z.input<typeof createAccessCodeSchema> | UntrustedInput,
): Promise<{ id: string }> {
  requireAdmin(ctx, "replaces-secret");
  const { toolId, serverName: chosen, isActive, ...codes } = parseInput(createAccessCodeSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const toolName = await selectToolName(tx, toolId);
    if (toolName === null) throw new DomainError("tool-not-found");
    const serverName = await requireServer(tx, { toolId, serverName: chosen });
    const perBuyer = await isServerPerBuyer(tx, { toolId, serverName });
    const now = ctx.clock.now();
    const sealed = sealAccessCode(ctx.ports.cipher, { ...codes, toolName }, now);
    if ((await findTakenCodes(tx, [sealed])).length > 0) throw new DomainError("access-code-taken");
    await tx
      .insert(accessCodes)
      .values({ ...sealed, toolId, serverName, isActive, perBuyer, codeChangedAt: now, createdAt: now });
    changed(tx, accessCodes);
    await recountStock(ctx, tx, toolId);
    await recordAudit(ctx, tx, {
      action: "access-code.created",
      subjectType: "access-code",
      subjectId: sealed.id,
      details: { after: { toolId, serverName, isActive } },
    });
    return { id: sealed.id };
  });
}

/**
 * What codes for one buyer each would meet: the unused ones of the server, and the running passes and open checkouts of the tool
 * that need one first.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'invalid-input'
 */
export function describeCodesPerBuyer(
  ctx: Context,
  input: z.input<typeof codesPerBuyerSchema> | UntrustedInput,
): Promise<{ unused: number; waiting: number }> {
  requireAdmin(ctx, "reads");
  return countCodesAndPasses(ctx, ctx.db, parseInput(codesPerBuyerSchema, input));
}

/** Either all lines were added, or none: then `problems` says what is wrong, in the order of the lines. */
type AddedAccessCodes = { kind: "added"; count: number } | { kind: "refused"; problems: LineProblem[] };

/**
 * Adds a pasted list of simple codes to one server of a tool, one per line, active. Each gets a session code. They are
 * for all buyers, who get the newest, or for one buyer each, as the server is from now on.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'tool-not-found',
 *   'server-has-shared-codes', 'server-has-codes-per-buyer'
 */
export async function addSeveralAccessCodes(
  ctx: Context,
  input: z.input<typeof addSeveralAccessCodesSchema> | UntrustedInput,
): Promise<AddedAccessCodes> {
  requireAdmin(ctx, "replaces-secret");
  const { toolId, serverName: chosen, handOut, lines } = parseInput(addSeveralAccessCodesSchema, input);
  const { codes, problems } = readCodeLines(lines);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const toolName = await selectToolName(tx, toolId);
    if (toolName === null) throw new DomainError("tool-not-found");
    const perBuyer = handOut === "per-buyer";
    const serverName = await requireServer(tx, { toolId, serverName: chosen });
    const { cipher } = ctx.ports;
    const hashes = codes.map(({ code }) => hashSimpleCode(cipher, code));
    const findTaken = bySimpleCode(cipher, await findTakenCodes(tx, hashes));
    const existing = codes.flatMap(({ line, code }) =>
      findTaken(code) === undefined ? [] : [{ line, message: "This code is already in use." }],
    );
    const all = [...problems, ...existing].sort((a, b) => a.line - b.line);
    if (all.length > 0) return { kind: "refused", problems: all };
    if (!perBuyer) await endOneForEachBuyer(ctx, tx, { toolId, serverName });
    await refuseMixedCodes(tx, { toolId, serverName, perBuyer });
    const now = ctx.clock.now();
    const rows = codes.map(({ code }) => sealAccessCode(cipher, { simpleCode: code, toolName }, now));
    const common = { toolId, serverName, isActive: true, perBuyer, codeChangedAt: now, createdAt: now };
    await tx.insert(accessCodes).values(rows.map((row) => ({ ...row, ...common })));
    changed(tx, accessCodes);
    await markServersPerBuyer(tx, toolId);
    await recountStock(ctx, tx, toolId);
    await recordAudit(ctx, tx, {
      action: "access-codes.added",
      subjectType: "tool",
      subjectId: toolId,
      details: { serverName, handOut, count: rows.length, ids: rows.map(({ id }) => id) },
    });
    return { kind: "added", count: rows.length };
  });
}

/** What is wrong with a pasted line. `line` is counted from 1. The message does not quote the code. */
interface LineProblem {
  line: number;
  message: string;
}

interface CodeLine {
  line: number;
  code: string;
}

/** Splits a pasted text into codes, one per line. Empty lines are skipped; outer spaces are removed. */
function readCodeLines(text: string): { codes: CodeLine[]; problems: LineProblem[] } {
  const codes = text
    .split(/\r\n|\r|\n/)
    .map((line, at) => ({ line: at + 1, code: line.trim() }))
    .filter(({ code }) => code !== "");
  const firstLines = new Map<string, number>();
  const problems = codes.flatMap(({ line, code }, at) => {
    const folded = foldSimpleCode(code);
    const first = firstLines.get(folded);
    if (first === undefined) firstLines.set(folded, line);
    if (code.length > SIMPLE_CODE_LENGTH)
      return [{ line, message: `This code is longer than ${SIMPLE_CODE_LENGTH} characters.` }];
    if (first !== undefined) return [{ line, message: `This code is already on line ${first}.` }];
    return at === CODES_AT_ONCE
      ? [{ line, message: `At most ${CODES_AT_ONCE} codes can be added at once.` }]
      : [];
  });
  return { codes, problems };
}

/** What the form that edits an access code shows. */
export interface RevealedAccessCode {
  id: string;
  version: number;
  toolId: string;
  serverName: string;
  isActive: boolean;
  simpleCode: string;
  sessionCode: string;
}

/**
 * An access code with both codes in plain text. Audited, without the codes.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found'
 */
export async function revealAccessCodeToAdmin(
  ctx: Context,
  input: { id: string } | UntrustedInput,
): Promise<RevealedAccessCode> {
  requireAdmin(ctx, "reveals-secret");
  const { id } = parseInput(accessCodeIdSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    const code = await lockAccessCode(tx, id);
    if (code === null) throw new DomainError("not-found");
    const { version, toolId, serverName, isActive } = code;
    const plain = openAccessCode(ctx.ports.cipher, code);
    await recordAudit(ctx, tx, {
      action: "access-code.revealed",
      subjectType: "access-code",
      subjectId: id,
      details: { toolId, serverName },
    });
    return { id, version, toolId, serverName, isActive, ...plain };
  });
}

/**
 * Changes an access code. Both codes are sealed again. The audit event says whether a code changed, and no code.
 *
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found', 'tool-not-found',
 *   'access-code-taken', 'access-code-in-use', 'access-code-replaced', 'server-has-shared-codes',
 *   'server-has-codes-per-buyer', 'changed-meanwhile' (the row no longer has `version`)
 */
export async function updateAccessCode(
  ctx: Context,
  input: z.input<typeof updateAccessCodeSchema> | UntrustedInput,
): Promise<{ version: number }> {
  requireAdmin(ctx, "replaces-secret");
  const { id, version, simpleCode, sessionCode, ...sent } = parseInput(updateAccessCodeSchema, input);
  return inTransaction(ctx.db, async (tx) => {
    await lockEdits(tx);
    const before = await lockAccessCode(tx, id);
    if (before === null) throw new DomainError("not-found");
    if (before.version !== version) throw new DomainError("changed-meanwhile");
    // A code of a deleted tool can be changed: its page still works for passes that run.
    const movesTo = sent.toolId === before.toolId ? undefined : await selectToolName(tx, sent.toolId);
    if (movesTo === null) throw new DomainError("tool-not-found");
    const fields = { ...sent, serverName: await checkPlace(tx, before, sent) };
    const sealed = sealCodesOfRow(ctx.ports.cipher, id, { simpleCode, sessionCode });
    // An older version may have stored another code that differs only in case: both stay usable, so both can be changed.
    const keepsKey = before.simpleCodeKey === sealed.simpleCodeKey;
    const others = await findTakenCodes(tx, [sealed], id);
    if (others.some((other) => !keepsKey || other.simpleCodeHash === sealed.simpleCodeHash))
      throw new DomainError("access-code-taken");
    await storeAccessCode(ctx, tx, before, {
      fields,
      sealed: { ...sealed, ...(!keepsKey && { simpleCodeTwin: 0 }) },
      simpleCodeChanged: before.simpleCodeHash !== sealed.simpleCodeHash,
      sessionCodeChanged: before.sessionCodeHash !== sealed.sessionCodeHash,
    });
    return { version: version + 1 };
  });
}

type Code = NonNullable<Awaited<ReturnType<typeof lockAccessCode>>>;
type Place = Pick<Code, "toolId" | "serverName" | "isActive">;

interface CodeChange {
  fields: Place;
  /** The codes, sealed again; absent: they stay. */
  sealed?: Partial<typeof accessCodes.$inferInsert>;
  simpleCodeChanged: boolean;
  sessionCodeChanged: boolean;
}

async function storeAccessCode(
  ctx: AuthorisedContext,
  tx: Transaction,
  before: Code,
  { fields, sealed, simpleCodeChanged, sessionCodeChanged }: CodeChange,
): Promise<void> {
  const now = ctx.clock.now();
  await tx
    .update(accessCodes)
    .set({
      ...fields,
      ...sealed,
      ...(simpleCodeChanged && { codeChangedAt: now }),
      version: sql`${accessCodes.version} + 1`,
      updatedAt: now,
    })
    .where(eq(accessCodes.id, before.id));
  changed(tx, accessCodes);
  await markServersPerBuyer(tx, fields.toolId);
  await recountStock(ctx, tx, before.toolId);
  if (fields.toolId !== before.toolId) await recountStock(ctx, tx, fields.toolId);
  await recordAudit(ctx, tx, {
    action: "access-code.updated",
    subjectType: "access-code",
    subjectId: before.id,
    details: { ...changedFields(before, fields), simpleCodeChanged, sessionCodeChanged },
  });
}

/** Takes the locks of an edit of an access code. */
export async function lockCodeForEdit(tx: Transaction, id: string): Promise<void> {
  await lockEdits(tx);
  await lockAccessCode(tx, id);
}

/** A change of nothing but Active, as `updateAccessCode` makes it. @returns whether the code was changed */
export async function changeCodeActive(
  ctx: AuthorisedContext,
  tx: Transaction,
  { id, isActive }: { id: string; isActive: boolean },
): Promise<boolean> {
  await lockEdits(tx);
  const before = await lockAccessCode(tx, id);
  if (before === null) throw new DomainError("not-found");
  if (before.isActive === isActive) return false;
  const { toolId } = before;
  const serverName = await checkPlace(tx, before, { toolId, serverName: before.serverName, isActive });
  const fields = { toolId, serverName, isActive };
  await storeAccessCode(ctx, tx, before, { fields, simpleCodeChanged: false, sessionCodeChanged: false });
  return true;
}

/**
 * Refuses a place where the code would reach nobody, or where it would mix with codes of the other kind.
 *
 * @returns the name of its server
 */
async function checkPlace(
  tx: Transaction,
  before: Code,
  { toolId, serverName: chosen, isActive }: Place,
): Promise<string> {
  const stays =
    toolId === before.toolId && normaliseServerName(chosen) === normaliseServerName(before.serverName);
  // A server that is gone, or a deleted tool, is no reason to refuse another change of its code.
  const serverName = stays ? before.serverName : await requireServer(tx, { toolId, serverName: chosen });
  if (before.passId !== null && !stays) throw new DomainError("access-code-in-use");
  const { passId, perBuyer } = before;
  if (!isActive || (stays && before.isActive)) return serverName;
  if (passId !== null && (await hasOtherCode(tx, before, passId)))
    throw new DomainError("access-code-replaced");
  await refuseMixedCodes(tx, { toolId, serverName, perBuyer });
  return serverName;
}

/**
 * Removes an access code, for good. A pass that had it takes another code when its buyer asks for the code again.
 *
 * @returns `waitingPasses`: how many held or sold passes of the tool have no code coming any more
 * @throws DomainError 'unauthenticated', 'forbidden', 'password-needed', 'invalid-input', 'not-found'
 */
export async function deleteAccessCode(
  ctx: Context,
  input: { id: string } | UntrustedInput,
): Promise<{ waitingPasses: number }> {
  requireAdmin(ctx, "deletes");
  const { id } = parseInput(accessCodeIdSchema, input);
  return inTransaction(ctx.db, (tx) => removeAccessCode(ctx, tx, id));
}

/** `deleteAccessCode` in the transaction of the caller. */
export async function removeAccessCode(
  ctx: AuthorisedContext,
  tx: Transaction,
  id: string,
): Promise<{ waitingPasses: number }> {
  await lockEdits(tx);
  const code = await lockAccessCode(tx, id);
  if (code === null) throw new DomainError("not-found");
  await tx.delete(accessCodes).where(eq(accessCodes.id, id));
  changed(tx, accessCodes);
  const { toolId, serverName, isActive } = code;
  const units = await recountStock(ctx, tx, toolId);
  await recordAudit(ctx, tx, {
    action: "access-code.deleted",
    subjectType: "access-code",
    subjectId: id,
    details: { before: { toolId, serverName, isActive } },
  });
  return { waitingPasses: Math.max(0, -(units ?? 0)) };
}

/**
 * The name of the server of a tool as the tool has it: a code of another name would reach nobody. A tool that has only a shared
 * sign-in gets the server of its first code. Other tools without servers, which only the database can make, have none to choose
 * from.
 *
 * @throws InvalidInputError for a name that no server of the tool has; DomainError 'tool-not-found'
 */
async function requireServer(
  tx: Transaction,
  { toolId, serverName }: { toolId: string; serverName: string },
): Promise<string> {
  const servers = await selectServers(tx, toolId, isNull(tools.deletedAt));
  if (servers === null) throw new DomainError("tool-not-found");
  if (servers.length === 0) {
    await addFirstServer(tx, { toolId, serverName });
    return serverName;
  }
  const server = findServerByName(servers, serverName);
  if (server === undefined) throw new InvalidInputError({ serverName: ["Choose a server of this tool."] });
  return server.name;
}
