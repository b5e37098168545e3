import { inArray, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { ImportedAccount, ImportedHashConfig } from "#core/accounts/authenticator.ts";
import { HAS_SIGNED_UP } from "#core/take-over-account.server.ts";
import type { Transaction } from "#db/database.ts";
import { inParts, insertMany } from "#db/insert-many.ts";
import { authAccounts, users } from "#db/tables/accounts.ts";
import type { ImportedCollection } from "#db/tables/imports.ts";
import { changed } from "#db/transaction.ts";
import {
  type AccountFacts,
  convertAccount,
  convertProfile,
  joinFacts,
  joinPersons,
  type OldPerson,
  type PersonFacts,
  withoutPassword,
} from "./convert-people.ts";
import { type ImportRun, type KnownPerson, readCollection, type Step } from "./import-run.ts";
import {
  insertOfDocuments,
  type Original,
  originalOf,
  saveOriginals,
  selectKnownDocuments,
} from "./imported-documents.server.ts";
import type { OldDocument } from "./source.ts";

/** In the order in which their facts count. */
export const PEOPLE_COLLECTIONS = [
  "accounts",
  "users",
  "user_documents",
] as const satisfies ImportedCollection[];
type PeopleCollection = (typeof PEOPLE_COLLECTIONS)[number];

/** There may be a hundred thousand. */
interface Draft {
  facts: Partial<Record<PeopleCollection, AccountFacts | PersonFacts>>;
  repairs: Partial<Record<PeopleCollection, string[]>>;
  /** The account that the first document about the person names. */
  userId: string | null;
}

/**
 * Imports the people: accounts of the sign-in service, profiles and user documents with one uid are one account. So are people
 * with one e-mail address. An account that the shop has already keeps its password, name and role, and gets none of the old
 * shop's ways to sign in: whoever knows an old password of the owner must not become the admin.
 */
export async function importPeople(
  run: ImportRun,
  { executor, tx }: Step,
  hashConfig: ImportedHashConfig | null,
): Promise<void> {
  const { report } = run;
  const drafts = new Map<string, Draft>();
  for (const collection of PEOPLE_COLLECTIONS) await readPeople(run, executor, collection, drafts);
  const imported = [...drafts].flatMap(([uid, { userId }]) => (userId === null ? [] : [{ uid, userId }]));
  await addKnownPeople(run, executor, imported);

  const isNew = new Set<string>();
  // One part after the other, because the people of a large shop would need much memory.
  for (const part of inParts(groupByEmail(run, drafts))) {
    const stored = await selectUsersByEmail(
      executor,
      part.map(([email]) => email),
    );
    const added: { person: OldPerson; userId: string }[] = [];
    for (const [email, uids] of part) {
      const before = run.people.byEmail.get(email);
      const storedId = before?.userId ?? stored.get(email);
      const userId = storedId ?? uuidv7();
      const known: KnownPerson = { userId, email, wasInShop: storedId !== undefined };
      run.people.byEmail.set(email, known);
      for (const uid of uids) run.people.byUid.set(uid, known);
      if (storedId !== undefined) continue;
      isNew.add(userId);
      added.push({ person: personOf(email, uids, drafts), userId });
    }
    if (tx) await insertPeople(run, tx, added, hashConfig);
    else for (const one of added) reportSignIn(run, one, signInsOf(run, one, hashConfig));
  }
  await completeAccounts(run, { executor, tx }, drafts, hashConfig);

  const counted = new Set<string>();
  for (const collection of PEOPLE_COLLECTIONS) {
    for await (const { fresh } of readCollection(run, executor, collection, { isCounted: false })) {
      const originals: Original[] = [];
      for (const named of fresh) {
        const person = run.people.byUid.get(named.document.id);
        const draft = drafts.get(named.document.id);
        if (person?.isDeleted) {
          report.refused(collection, named.documentId, "an admin has deleted the account");
          continue;
        }
        if (person === undefined || draft === undefined) {
          report.refused(
            collection,
            named.documentId,
            "it has no e-mail address, and no document of the same person has one",
          );
          continue;
        }
        const isFirst = isNew.has(person.userId) && !counted.has(person.userId);
        counted.add(person.userId);
        report.became(collection, named.documentId, {
          kind: isFirst ? "created" : "merged",
          became: isFirst
            ? `the account ${person.email}`
            : `the account ${person.email}${isNew.has(person.userId) ? "" : ", which the shop has and keeps as it is"}`,
          repairs: draft.repairs[collection] ?? [],
        });
        const became = { table: "users", id: person.userId } as const;
        originals.push(originalOf(collection, named, became, withoutPassword(named.document)));
      }
      if (tx) await saveOriginals(tx, run.ctx.ports.cipher, originals);
    }
  }
}

async function readPeople(
  run: ImportRun,
  executor: Step["executor"],
  collection: PeopleCollection,
  drafts: Map<string, Draft>,
): Promise<void> {
  for await (const { fresh, known } of readCollection(run, executor, collection)) {
    for (const { document, documentId, becameId } of known) {
      // A file with a misspelt name has a prefix before its ids: a person who is only there is found by address.
      const draft = draftOf(drafts, documentId);
      draft.userId ??= becameId;
      // An earlier import may have had no hash-config.json, or the account no password then.
      if (isAccount(collection, document))
        draft.facts[collection] = convertAccount(document, run.ctx.store.timeZone).row;
    }
    for (const { document } of fresh) {
      const convert = isAccount(collection, document) ? convertAccount : convertProfile;
      const { row, repairs } = convert(document, run.ctx.store.timeZone);
      const draft = draftOf(drafts, document.id);
      draft.facts[collection] = row;
      if (repairs.length > 0) draft.repairs[collection] = repairs;
    }
  }
}

/** The export of the sign-in service may be in a file of another name. */
const isAccount = (collection: PeopleCollection, { fields }: OldDocument) =>
  collection === "accounts" || "passwordHash" in fields || "providerData" in fields;

function draftOf(drafts: Map<string, Draft>, uid: string): Draft {
  const draft = drafts.get(uid) ?? { facts: {}, repairs: {}, userId: null };
  drafts.set(uid, draft);
  return draft;
}

/** The accounts of people who were imported before. */
async function addKnownPeople(
  run: ImportRun,
  executor: Step["executor"],
  known: readonly { uid: string; userId: string }[],
): Promise<void> {
  for (const part of inParts(known)) {
    const ids = part.map(({ userId }) => userId);
    const rows = await executor
      .select({ id: users.id, email: users.email, deletedAt: users.deletedAt })
      .from(users)
      .where(sql`${users.id} = any(${sql.param(ids)}::uuid[])`);
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const { uid, userId } of part) {
      const row = found.get(userId);
      if (row === undefined) continue;
      const { email } = row;
      const person = { userId, email, wasInShop: true, isDeleted: row.deletedAt !== null };
      run.people.byUid.set(uid, person);
      run.people.byEmail.set(email, person);
    }
  }
}

/** Finds the people with these ids whom an earlier import has brought. */
export async function findPeople(
  run: ImportRun,
  executor: Step["executor"],
  uids: readonly string[],
): Promise<void> {
  const missing = uids.filter((uid) => !run.people.byUid.has(uid));
  const found = new Map<string, string>();
  for (const collection of PEOPLE_COLLECTIONS) {
    for (const [uid, { becameId }] of await selectKnownDocuments(executor, collection, missing))
      if (becameId !== null) found.set(uid, becameId);
  }
  await addKnownPeople(
    run,
    executor,
    [...found].map(([uid, userId]) => ({ uid, userId })),
  );
}

/** In the order in which they count. */
const factsOf = ({ facts }: Draft) => PEOPLE_COLLECTIONS.flatMap((collection) => facts[collection] ?? []);

/** The ids of new people by their address. */
function groupByEmail(run: ImportRun, drafts: ReadonlyMap<string, Draft>): [email: string, uids: string[]][] {
  const uidsByEmail = new Map<string, string[]>();
  for (const [uid, draft] of drafts) {
    if (run.people.byUid.has(uid)) continue;
    const email = factsOf(draft).find((fact) => fact.email !== null)?.email;
    if (email === null || email === undefined) continue;
    const same = uidsByEmail.get(email);
    if (same === undefined) {
      uidsByEmail.set(email, [uid]);
      continue;
    }
    const collection = PEOPLE_COLLECTIONS.find((name) => draft.facts[name] !== undefined) ?? "users";
    run.report.noted(
      collection,
      uid,
      `${same.join(", ")} has the same address ${email}: they become one account`,
    );
    same.push(uid);
  }
  return [...uidsByEmail];
}

function personOf(email: string, uids: readonly string[], drafts: ReadonlyMap<string, Draft>): OldPerson {
  const persons = uids.flatMap((uid) => {
    const draft = drafts.get(uid);
    return draft === undefined ? [] : [joinFacts(email, uid, factsOf(draft))];
  });
  return persons.reduce(joinPersons);
}

/** The accounts that the shop has with these addresses. */
export async function selectUsersByEmail(
  executor: Step["executor"],
  emails: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const part of inParts(emails)) {
    const rows = await executor
      .select({ id: users.id, email: users.email })
      .from(users)
      .where(sql`${users.email} = any(${sql.param(part)}::text[])`);
    for (const { id, email } of rows) found.set(email, id);
  }
  return found;
}

/** The ways to sign in of a new account, and what the report says about them. */
function signInsOf(
  { ctx }: ImportRun,
  { person, userId }: { person: OldPerson; userId: string },
  hashConfig: ImportedHashConfig | null,
): { account: ImportedAccount; problem: string | null } {
  const { password, googleSubject } = person;
  const hash =
    password === null || hashConfig === null
      ? null
      : ctx.ports.authenticator.importedPasswordHash(password, hashConfig);
  const account = { userId, passwordHash: hash?.passwordHash ?? null, googleSubject };
  return { account, problem: hash !== null && "reason" in hash ? hash.reason : null };
}

function reportSignIn(
  run: ImportRun,
  { person }: { person: OldPerson },
  { account, problem }: { account: ImportedAccount; problem: string | null },
): void {
  const uid = person.uids[0] ?? "";
  if (problem !== null) run.report.noted("accounts", uid, `its password cannot be taken over: ${problem}`);
  else if (account.passwordHash === null && account.googleSubject === null)
    run.report.noted("accounts", uid, "it has no way to sign in; a reset mail sets a password");
}

async function insertPeople(
  run: ImportRun,
  tx: Transaction,
  added: readonly { person: OldPerson; userId: string }[],
  hashConfig: ImportedHashConfig | null,
): Promise<void> {
  const now = run.ctx.clock.now();
  for (const part of inParts(added)) {
    const documents = part.flatMap(({ person, userId: id }) =>
      person.uids.map((documentId) => ({
        collection: "users" as const,
        documentId,
        became: { id },
      })),
    );
    await insertOfDocuments(
      tx,
      users,
      part.map(({ person, userId }) => ({
        id: userId,
        email: person.email,
        emailVerified: person.emailVerified,
        name: person.name ?? "",
        image: person.image,
        provider: person.isGoogle ? ("google" as const) : ("email" as const),
        isActive: person.isActive ?? true,
        lastLogin: person.lastLogin,
        createdAt: person.createdAt ?? person.lastLogin ?? now,
        updatedAt: now,
      })),
      documents,
    );
    const accounts: ImportedAccount[] = [];
    for (const one of part) {
      const signIns = signInsOf(run, one, hashConfig);
      reportSignIn(run, one, signIns);
      if (signIns.account.passwordHash !== null || signIns.account.googleSubject !== null)
        accounts.push(signIns.account);
    }
    if (accounts.length === 0) continue;
    const { skipped } = await run.ctx.ports.authenticator.createImportedAccounts(tx, accounts);
    for (const { userId, provider } of skipped) {
      const email = part.find((one) => one.userId === userId)?.person.email ?? "";
      run.report.notice(`${email} keeps no sign-in by ${provider}: another account of the shop has it.`);
    }
  }
}

/**
 * Accounts of the old sign-in service that come after their person, with a later export. They are added where the account has no
 * way to sign in at all: only an import makes such accounts.
 */
async function completeAccounts(
  run: ImportRun,
  { executor, tx }: Step,
  drafts: ReadonlyMap<string, Draft>,
  hashConfig: ImportedHashConfig | null,
): Promise<void> {
  const late = [...drafts].flatMap(([uid, draft]) => {
    const known = run.people.byUid.get(uid);
    const isKnown = known?.wasInShop && !known.isDeleted;
    return isKnown && factsOf(draft).some((fact) => "googleSubject" in fact) ? [{ uid, ...known }] : [];
  });
  let count = 0;
  for (const some of inParts(late)) {
    const part = new Map(
      some.map(({ uid, email, userId }) => [userId, { person: personOf(email, [uid], drafts), userId }]),
    );
    const hasSignIn = sql`exists (select from ${authAccounts} where ${authAccounts.userId} = ${users.id})`;
    // Somebody who has signed up here keeps the account, also when it has no password for now.
    const open = await executor
      .select({ id: users.id })
      .from(users)
      .where(
        sql`${users.id} = any(${sql.param([...part.keys()])}::uuid[]) and ${users.role} = 'user'
          and not ${hasSignIn} and not ${HAS_SIGNED_UP}`,
      );
    const completed = open.flatMap(({ id }) => part.get(id) ?? []);
    const accounts = completed.map((one) => signInsOf(run, one, hashConfig).account);
    const usable = accounts.filter((one) => one.passwordHash !== null || one.googleSubject !== null);
    count += usable.length;
    if (!tx) continue;
    if (usable.length > 0) await run.ctx.ports.authenticator.createImportedAccounts(tx, usable);
    const disabled = completed.filter(({ person }) => person.isActive === false).map(({ userId }) => userId);
    if (disabled.length === 0) continue;
    await tx.update(users).set({ isActive: false }).where(inArray(users.id, disabled));
    changed(tx, users);
  }
  if (count > 0)
    run.report.notice(
      `${count} imported accounts that had no way to sign in got the password or Google sign-in of the old shop.`,
    );
}

/** Accounts for buyers who are in no list of people, from the address on their purchases. */
export async function insertBuyers(
  run: ImportRun,
  tx: Transaction,
  buyers: readonly { userId: string; email: string; createdAt: Date }[],
): Promise<void> {
  const updatedAt = run.ctx.clock.now();
  await insertMany(
    tx,
    users,
    buyers.map(({ userId: id, email, createdAt }) => ({ id, email, createdAt, updatedAt })),
  );
}
