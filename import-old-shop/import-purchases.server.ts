import { and, eq, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import { emailAddress } from "#core/accounts/schemas.ts";
import { storedStatus } from "#core/passes/purchase-states.ts";
import { selectUnconfirmedAccounts, takeOverUnconfirmed } from "#core/take-over-account.server.ts";
import type { Transaction } from "#db/database.ts";
import { inParts } from "#db/insert-many.ts";
import { couponCodes } from "#db/tables/catalog.ts";
import { importedDocuments } from "#db/tables/imports.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { changed } from "#db/transaction.ts";
import {
  type AmountUnit,
  type ConvertedPurchase,
  convertPurchase,
  decideOverlaps,
  type PassDecision,
  type PassInTime,
} from "./convert-purchases.ts";
import { CHECK } from "./field-reader.ts";
import { findPeople, insertBuyers, selectUsersByEmail } from "./import-people.server.ts";
import { type ImportRun, type KnownPerson, readCollection, type Step } from "./import-run.ts";
import { insertOfDocuments, type Original, originalOf, saveOriginals } from "./imported-documents.server.ts";
import { keyOf, PlannedPasses, PURCHASE_COLLECTIONS, type PurchaseCollection } from "./planned-passes.ts";

/** What is known of all purchases before the first one is written. */
export interface PurchasePlan {
  decisions: ReadonlyMap<string, PassDecision>;
  /** The ids of rows that other records of the same purchase become too, by the key of the document; null before it is read. */
  rowIds: Map<string, string | null>;
  newBuyers: { userId: string; email: string; createdAt: Date }[];
  /** Buyers whose account of this shop nobody has confirmed: it is taken over before it gets what the address has bought. */
  unconfirmed: ReadonlySet<string>;
  /** In which each collection has its amounts. */
  units: Record<PurchaseCollection, AmountUnit>;
}

const convert = (
  run: ImportRun,
  collection: PurchaseCollection,
  document: Parameters<typeof convertPurchase>[0],
  unit: AmountUnit,
) =>
  convertPurchase(document, {
    collection,
    unit,
    tools: run.tools,
    unsoldDemo: run.unsoldDemo,
    timeZone: run.ctx.store.timeZone,
    now: run.ctx.clock.now(),
  });

/** Reads all purchases once: finds their buyers, and decides which of overlapping passes run. Writes nothing. */
export async function planPurchases(run: ImportRun, step: Step): Promise<PurchasePlan> {
  const passes = new PlannedPasses();
  const newBuyers: PurchasePlan["newBuyers"] = [];
  const accounts = new Set<string>();
  const units: PurchasePlan["units"] = { user_purchases: "rupees", purchases: "rupees" };
  for (const collection of PURCHASE_COLLECTIONS) {
    const proofs = { rupees: 0, paise: 0 };
    for await (const { fresh, known } of readCollection(run, step.executor, collection, {
      isCounted: false,
    })) {
      const count = ({ provesUnit }: ConvertedPurchase) => {
        if (provesUnit !== null) proofs[provesUnit] += 1;
      };
      // What was imported before proves the unit too: a later export may have little that is new.
      for (const { document } of known) {
        const converted = convert(run, collection, document, "rupees");
        if ("row" in converted) count(converted.row);
      }
      const rows = fresh.flatMap(({ document, documentId }) => {
        const converted = convert(run, collection, document, "rupees");
        if ("row" in converted) count(converted.row);
        return "refused" in converted ? [] : [{ ...converted.row, documentId }];
      });
      await findBuyers(run, step, rows, newBuyers);
      for (const row of rows) {
        const isPass = row.status === "completed" || row.status === "active";
        const buyer = buyerOf(run, row);
        if (buyer?.wasInShop) accounts.add(buyer.userId);
        if (!isPass || buyer === null || !row.startsAt || !row.expiresAt) continue;
        const place = placeOf(row.tool?.id ?? null, row.toolName);
        passes.add(buyer.userId, {
          ...row,
          startsAt: row.startsAt,
          expiresAt: row.expiresAt,
          collection,
          place,
        });
      }
    }
    if (proofs.paise <= proofs.rupees) continue;
    units[collection] = "paise";
    run.report.notice(
      `The amounts of ${collection} are paise: ${proofs.paise} of them are the price of their tool in paise, and ${proofs.rupees} in rupees.`,
    );
  }
  const decisions = new Map<string, PassDecision>();
  for (const userIds of inParts(passes.buyers())) {
    const ofShop = await selectPassesOfShop(step, userIds);
    for (const userId of userIds)
      for (const ofOneTool of passes.of(userId, ofShop.get(userId) ?? []))
        for (const [key, decision] of decideOverlaps(ofOneTool)) decisions.set(key, decision);
  }
  const rowIds = new Map<string, string | null>();
  for (const { sameAs } of decisions.values()) if (sameAs !== undefined) rowIds.set(sameAs, null);
  const unconfirmed = new Set<string>();
  for (const part of inParts([...accounts]))
    for (const userId of await selectUnconfirmedAccounts(step.executor, part)) unconfirmed.add(userId);
  return { decisions, rowIds, newBuyers, unconfirmed, units };
}

function buyerOf(
  { people }: ImportRun,
  { uid, email }: Pick<ConvertedPurchase, "uid" | "email">,
): KnownPerson | null {
  const byUid = uid === null ? undefined : people.byUid.get(uid);
  return byUid ?? (email === null ? undefined : people.byEmail.get(email)) ?? null;
}

/** Finds the accounts of buyers who are in no list of people by their address, or else plans one for them. */
async function findBuyers(
  run: ImportRun,
  { executor }: Step,
  rows: readonly ConvertedPurchase[],
  newBuyers: PurchasePlan["newBuyers"],
): Promise<void> {
  const uids = rows.flatMap(({ uid }) => (uid === null ? [] : [uid]));
  await findPeople(run, executor, [...new Set(uids)]);
  const unknown = rows.filter(
    (row): row is ConvertedPurchase & { email: string } => row.email !== null && buyerOf(run, row) === null,
  );
  if (unknown.length === 0) return;
  const stored = await selectUsersByEmail(executor, [...new Set(unknown.map(({ email }) => email))]);
  for (const { uid, email, createdAt } of unknown) {
    const known = run.people.byEmail.get(email);
    const storedId = stored.get(email);
    if (known === undefined && storedId === undefined && !emailAddress.safeParse(email).success) continue;
    const person = known ?? { userId: storedId ?? uuidv7(), email, wasInShop: storedId !== undefined };
    run.people.byEmail.set(email, person);
    if (uid !== null) run.people.byUid.set(uid, person);
    if (known === undefined && storedId === undefined)
      newBuyers.push({ userId: person.userId, email, createdAt });
  }
}

/** Purchases of a tool that the shop does not have belong together by its name. */
const placeOf = (toolId: string | null, toolName: string) => toolId ?? toolName.toLowerCase();

/** The passes that the shop has of these buyers: sold here, or imported before. */
async function selectPassesOfShop(
  { executor }: Step,
  userIds: readonly string[],
): Promise<Map<string, (PassInTime & { place: string })[]>> {
  const { id, userId, toolId, toolName, startsAt, expiresAt, endedAt, endedReason, status, testMode } =
    userPurchases;
  // The query builder leaves the table out of the columns of a list, so they are named here.
  const collection = sql<PurchaseCollection | null>`(
    select min(${importedDocuments}.collection) from ${importedDocuments} where ${importedDocuments}.became_id = ${userPurchases}.id
  )`;
  const rows = await executor
    .select({ id, userId, toolId, toolName, startsAt, expiresAt, endedAt, collection })
    .from(userPurchases)
    .where(
      and(
        sql`${userId} = any(${sql.param(userIds)}::uuid[])`,
        inArray(status, ["completed", "active"]),
        or(isNull(endedAt), eq(endedReason, "superseded")),
        sql`not ${testMode}`,
      ),
    );
  const passes = rows.flatMap((row) => {
    if (row.userId === null || row.startsAt === null || row.expiresAt === null) return [];
    return {
      userId: row.userId,
      place: placeOf(row.toolId, row.toolName),
      key: row.id,
      startsAt: row.startsAt,
      expiresAt: row.expiresAt,
      isInShop: true,
      isEnded: row.endedAt !== null,
      collection: row.collection,
    };
  });
  return Map.groupBy(passes, (pass) => pass.userId);
}

/**
 * Raises the uses of imported coupons to the completed purchases that were imported with their code: the counter of the old
 * shop may be behind, and a later export may bring more.
 */
async function raiseCouponUses(tx: Transaction): Promise<void> {
  const { id, code, usesTaken, importedUses } = couponCodes;
  const uses = tx
    .select({ code: userPurchases.couponCode, count: sql<number>`count(*)::int`.as("count") })
    .from(userPurchases)
    .where(
      and(
        eq(userPurchases.source, "import"),
        inArray(userPurchases.status, ["completed", "active"]),
        isNotNull(userPurchases.couponCode),
      ),
    )
    .groupBy(userPurchases.couponCode)
    .as("uses");
  const isImported = sql`exists (select from ${importedDocuments} where ${importedDocuments.becameId} = ${id})`;
  await tx
    .update(couponCodes)
    .set({
      usesTaken: sql`${usesTaken} + ${uses.count} - ${importedUses}`,
      importedUses: sql`${uses.count}`,
    })
    .from(uses)
    .where(and(eq(code, uses.code), sql`${importedUses} < ${uses.count}`, isImported));
  changed(tx, couponCodes);
}

/** Imports the purchases of one collection as the plan says. */
export async function importPurchases(
  run: ImportRun,
  { executor, tx }: Step,
  collection: PurchaseCollection,
  plan: PurchasePlan,
): Promise<void> {
  const { report } = run;
  const summary = report.of(collection);
  if (tx && collection === PURCHASE_COLLECTIONS[0]) {
    // Accounts are locked before purchases.
    for (const part of inParts([...plan.unconfirmed])) await takeOverUnconfirmed(run.ctx, tx, part);
    await insertBuyers(run, tx, plan.newBuyers);
  }
  const newBuyers = new Set(plan.newBuyers.map(({ userId }) => userId));
  const told = new Set<string>();
  for await (const { fresh } of readCollection(run, executor, collection)) {
    const rows: (typeof userPurchases.$inferInsert)[] = [];
    const originals: Original[] = [];
    for (const named of fresh) {
      const key = keyOf(collection, named.documentId);
      const converted = convert(run, collection, named.document, plan.units[collection]);
      if ("refused" in converted) {
        report.refused(collection, named.documentId, converted.refused);
        continue;
      }
      const { row, repairs } = converted;
      const isPass = row.status === "completed" || row.status === "active";
      const isRunning = isPass && row.expiresAt !== null && row.expiresAt > run.ctx.clock.now();
      const weight = { paise: row.amountPaise, isRunning };
      summary.paiseBefore += row.amountPaise;
      const buyer = buyerOf(run, row);
      if (buyer === null) {
        report.refused(
          collection,
          named.documentId,
          "nobody in the export has its buyer's id, and it has no usable e-mail address",
          weight,
        );
        continue;
      }
      if (buyer.isDeleted) {
        report.refused(collection, named.documentId, "an admin has deleted the account of its buyer", weight);
        continue;
      }
      if (newBuyers.has(buyer.userId))
        repairs.push(`its buyer is in no list of people, so ${buyer.email} got an account`);
      const decision = plan.decisions.get(key);
      if (decision?.sameAs !== undefined) {
        const sameId = plan.rowIds.get(decision.sameAs) ?? decision.sameAs;
        report.became(collection, named.documentId, {
          kind: "merged",
          became: `the same purchase as ${decision.sameAs}: the old shop recorded it in both collections`,
          repairs: [],
          ...weight,
        });
        originals.push(originalOf(collection, named, { table: "user_purchases", id: sameId }));
        continue;
      }
      if (row.paymentId !== null && run.payments.add(row.paymentId, named.contentHash) !== null)
        repairs.push(`${CHECK}another purchase has the same payment, ${row.paymentId.slice(0, 60)}`);
      const other = row.email === null ? undefined : run.people.byEmail.get(row.email);
      if (other !== undefined && other.userId !== buyer.userId)
        repairs.push(
          `${CHECK}it has the address ${row.email} of another person than its buyer, ${buyer.email}`,
        );
      const id = uuidv7();
      if (plan.rowIds.has(key)) plan.rowIds.set(key, id);
      rows.push(toRow(run, row, { id, buyer, decision }));
      summary.paiseAfter += row.amountPaise;
      if (decision?.isSuperseded)
        repairs.push("another pass of the same buyer and tool ends later and runs, so it is kept as history");
      if (decision?.expiresAt)
        repairs.push(`the other record of it ends later, on ${decision.expiresAt.toISOString()}`);
      if (decision?.startsAt)
        repairs.push(
          `a pass that the shop has runs until ${decision.startsAt.toISOString()}, so it begins then`,
        );
      originals.push(originalOf(collection, named, { table: "user_purchases", id }));
      if (plan.unconfirmed.has(buyer.userId) && !told.has(buyer.userId)) {
        told.add(buyer.userId);
        repairs.push(
          `${CHECK}somebody has signed up with ${buyer.email} in this shop, and nobody has confirmed that the address is theirs. So that no stranger gets what the buyer has paid for, the password of that account is removed and its browsers are signed out. The buyer sets a new one with "Forgot password?", or with a link that you make: Users, Reset Link`,
        );
      }
      report.became(collection, named.documentId, {
        kind: "created",
        became: `${row.status === "active" ? "an" : "a"} ${row.status} purchase of ${row.toolName} by ${buyer.email}`,
        repairs,
        ...weight,
      });
    }
    if (!tx) continue;
    await insertOfDocuments(tx, userPurchases, rows, originals);
    await saveOriginals(tx, run.ctx.ports.cipher, originals);
  }
  if (tx) await raiseCouponUses(tx);
}

function toRow(
  { ctx }: ImportRun,
  row: ConvertedPurchase,
  { id, buyer, decision }: { id: string; buyer: KnownPerson; decision: PassDecision | undefined },
): typeof userPurchases.$inferInsert {
  const now = ctx.clock.now();
  const isSuperseded = decision?.isSuperseded ?? false;
  const expiresAt = decision?.expiresAt ?? row.expiresAt;
  const endedAt = expiresAt !== null && expiresAt < now ? expiresAt : now;
  return {
    id,
    userId: buyer.userId,
    userEmail: row.email ?? buyer.email,
    toolId: row.tool?.id ?? null,
    toolName: row.toolName,
    validityDays: row.validityDays,
    listPricePaise: row.amountPaise,
    amountPaise: row.amountPaise,
    ...storedStatus(row.status),
    source: "import",
    couponCode: row.couponCode,
    startsAt: decision?.startsAt ?? row.startsAt,
    capturedAt: row.capturedAt,
    expiresAt,
    assignedBy: row.assignedBy,
    notes: row.notes,
    errorMessage: row.errorMessage,
    endedAt: isSuperseded ? endedAt : null,
    endedReason: isSuperseded ? "superseded" : null,
    createdAt: row.createdAt,
    updatedAt: now,
  };
}
