import { normaliseEmail } from "../accounts/rules.ts";
import { TOOL_LIMITS, toOneLine } from "../catalog/limits.ts";
import { addDays, DAY, MINUTE } from "../time.ts";
import { type Conversion, endOf, FALLBACK_DAYS, normaliseCoupon } from "./convert-catalogue.ts";
import { FieldReader, fitText } from "./field-reader.ts";
import type { OldDocument } from "./source.ts";

/** What the conversion of a purchase asks about its tool. Paise, days. */
export interface KnownTool {
  id: string;
  name: string;
  validityDays: number;
  pricesPaise: readonly number[];
}

export type OldStatus = "pending" | "completed" | "failed" | "active";

export interface ConvertedPurchase {
  uid: string | null;
  email: string | null;
  /** null: the shop has no such tool. */
  tool: KnownTool | null;
  toolName: string;
  validityDays: number;
  amountPaise: number;
  status: OldStatus;
  couponCode: string | null;
  /** null unless it gives or gave access. */
  startsAt: Date | null;
  expiresAt: Date | null;
  capturedAt: Date | null;
  createdAt: Date;
  assignedBy: string | null;
  notes: string | null;
  errorMessage: string | null;
}

interface Surroundings {
  collection: "user_purchases" | "purchases";
  /** By the id or the name of a tool, in any case. */
  findTool: (idOrName: string) => KnownTool | null;
  timeZone: string;
  now: Date;
}

/** What other words for a status mean. Any other word is a purchase without access. */
const STATUSES: Readonly<Record<string, OldStatus>> = {
  pending: "pending",
  created: "pending",
  processing: "pending",
  initiated: "pending",
  completed: "completed",
  complete: "completed",
  success: "completed",
  successful: "completed",
  paid: "completed",
  captured: "completed",
  expired: "completed",
  active: "active",
  failed: "failed",
};

const TEXT_LENGTH = 1000;
const MAX_PAISE = 2_147_483_647;

/** @returns refused only without a buyer; what else is missing is repaired */
export function convertPurchase(document: OldDocument, around: Surroundings): Conversion<ConvertedPurchase> {
  const reader = new FieldReader(document, around.timeZone);
  const { repairs } = reader;
  const uid = reader.text("userId", "uid", "user");
  const email = normaliseEmail(reader.text("userEmail", "email", "buyerEmail") ?? "") || null;
  if (uid === null && email === null) return { refused: "it names no buyer" };
  const { tool, toolName } = convertTool(reader, around);
  const validity = reader.days("validity", "validityDays", "days", "duration");
  const validityDays = Math.min(validity ?? tool?.validityDays ?? FALLBACK_DAYS, TOOL_LIMITS.validityDays);
  const status = convertStatus(reader);
  const text = (...names: string[]) => {
    const found = reader.text(...names);
    return found === null ? null : fitText(reader, names[0] ?? "", found, TEXT_LENGTH);
  };
  const coupon = reader.text("couponCode", "couponUsed", "coupon");
  return {
    row: {
      uid,
      email,
      tool,
      toolName,
      validityDays,
      amountPaise: convertAmount(reader, around.collection, tool),
      status,
      // The legacy collection may only say that a coupon was used, without its code.
      couponCode:
        coupon === null || /^(?:true|false)$/i.test(coupon) ? null : normaliseCoupon(coupon).slice(0, 60),
      ...convertTimes(reader, { status, validityDays, now: around.now }),
      assignedBy: text("assignedBy"),
      notes: text("notes", "note"),
      errorMessage: text("errorMessage", "error"),
    },
    repairs,
  };
}

function convertTool(
  reader: FieldReader,
  { findTool }: Surroundings,
): { tool: KnownTool | null; toolName: string } {
  const named = reader.text("toolName", "name", "tool", "productName");
  const id = reader.text("toolId", "productId");
  const tool = (id === null ? null : findTool(id)) ?? (named === null ? null : findTool(named));
  const typed = toOneLine(named ?? tool?.name ?? id ?? "");
  if (typed === "") reader.repairs.push("it names no tool");
  else if (tool === null) reader.repairs.push(`the shop has no tool "${typed.slice(0, TOOL_LIMITS.name)}"`);
  return { tool, toolName: fitText(reader, "toolName", typed || "Unknown Tool", TOOL_LIMITS.name) };
}

function convertStatus(reader: FieldReader): OldStatus {
  const found = reader.text("status", "paymentStatus", "purchaseStatus");
  if (found === null) {
    reader.repairs.push("it has no status, so it gives no access");
    return "failed";
  }
  const word = found.toLowerCase();
  const status = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
  if (status !== found) reader.repairs.push(`the status "${found.slice(0, 40)}" is ${status ?? "failed"}`);
  return status ?? "failed";
}

/** The amounts of `user_purchases` are in paise, and the prices of the legacy collection in rupees. */
function convertAmount(
  reader: FieldReader,
  collection: Surroundings["collection"],
  tool: KnownTool | null,
): number {
  const isLegacy = collection === "purchases";
  const typed = isLegacy ? reader.number("price", "amount") : reader.number("amount", "price");
  if (typed === null) return 0;
  if (typed < 0) {
    reader.repairs.push(`the amount ${typed} is negative and counts as 0`);
    return 0;
  }
  const paise = Math.round(isLegacy ? typed * 100 : typed);
  const prices = tool?.pricesPaise ?? [];
  // Somebody wrote rupees: it is a price of the tool in rupees, and none in paise.
  const isRupees = !isLegacy && !prices.includes(paise) && prices.includes(Math.round(typed * 100));
  if (isRupees) reader.repairs.push(`the amount ${typed} is in rupees, because that is a price of the tool`);
  else if (paise !== (isLegacy ? typed * 100 : typed))
    reader.repairs.push(`the amount ${typed} was rounded to paise`);
  return Math.min(isRupees ? Math.round(typed * 100) : paise, MAX_PAISE);
}

/**
 * The old shop gave access from the start until the expiry, and did not look at the start. So the start is never later than the
 * import or the expiry.
 */
function convertTimes(
  reader: FieldReader,
  { status, validityDays, now }: { status: OldStatus; validityDays: number; now: Date },
): Pick<ConvertedPurchase, "startsAt" | "expiresAt" | "capturedAt" | "createdAt"> {
  const created = reader.moment("createdAt", "purchaseDate", "purchasedAt", "date");
  const captured = reader.moment("capturedAt", "paidAt");
  const expiry = reader.moment("expiresAt", "expiryDate", "expiry", "validUntil");
  const given = created?.value ?? captured?.value ?? null;
  const isPass = status === "completed" || status === "active";
  const derived = expiry === null ? null : new Date(endOf(expiry).getTime() - validityDays * DAY);
  if (given === null)
    reader.repairs.push(
      derived === null ? "it has no date" : "its date is that of its expiry less its validity",
    );
  const bought = given ?? derived ?? now;
  if (bought > now) reader.repairs.push("its date is in the future and counts as today");
  const createdAt = bought > now ? now : bought;
  if (!isPass) return { startsAt: null, expiresAt: null, capturedAt: null, createdAt };
  if (expiry === null && given !== null)
    reader.repairs.push(`it has no expiry, so it ends ${validityDays} days after its date`);
  // Without any date it gives no access, as in the old shop.
  const expiresAt = expiry !== null ? endOf(expiry) : given === null ? now : addDays(createdAt, validityDays);
  if (expiresAt < createdAt) reader.repairs.push("it ends before it begins, so it gave no access");
  return {
    startsAt: expiresAt < createdAt ? expiresAt : createdAt,
    expiresAt,
    capturedAt: captured?.value ?? null,
    createdAt,
  };
}

/** A pass of one buyer and one tool, as far as others of them concern it. */
export interface PassInTime {
  /** Names the document, or the row of a pass that the shop has. */
  key: string;
  startsAt: Date;
  expiresAt: Date;
  /** Of the shop, and not changed any more. */
  isFixed: boolean;
  collection: "user_purchases" | "purchases" | null;
}

/** What happens to a pass because of others. A pass without a decision runs as it is. */
export type PassDecision =
  /** Another one that ends later runs; this one is history. */
  | { kind: "superseded" }
  /** A pass of the shop runs until then. */
  | { kind: "starts-later"; startsAt: Date }
  /** The old shop recorded it in both collections. */
  | { kind: "same-as"; key: string };

/** The old shop wrote both records of an assignment within a moment. */
const SAME_PURCHASE_MS = MINUTE;

/**
 * Decides about the passes of one buyer and one tool: no two may overlap, and the last day of access stays. Of those that overlap
 * the one that ends last runs. A pass of the shop stays as it is, and an imported one that ends later begins at its end.
 */
export function decideOverlaps(passes: readonly PassInTime[]): Map<string, PassDecision> {
  const decisions = new Map<string, PassDecision>();
  const newer = passes.filter(({ collection }) => collection === "user_purchases");
  const kept: { startsAt: Date; expiresAt: Date }[] = passes.filter(({ isFixed }) => isFixed);
  const imported = passes
    .filter(({ isFixed }) => !isFixed)
    .toSorted(
      (a, b) => b.expiresAt.getTime() - a.expiresAt.getTime() || a.startsAt.getTime() - b.startsAt.getTime(),
    );
  const taken = new Set<string>();
  for (const pass of imported) {
    if (pass.collection !== "purchases") continue;
    // A record that ends later is none of the same purchase: the last day of access would be lost.
    const same = newer.find(
      ({ key, startsAt, expiresAt }) =>
        !taken.has(key) &&
        Math.abs(startsAt.getTime() - pass.startsAt.getTime()) <= SAME_PURCHASE_MS &&
        pass.expiresAt.getTime() - expiresAt.getTime() <= SAME_PURCHASE_MS,
    );
    if (same === undefined) continue;
    taken.add(same.key);
    decisions.set(pass.key, { kind: "same-as", key: same.key });
  }
  for (const pass of imported) {
    if (decisions.has(pass.key) || pass.startsAt >= pass.expiresAt) continue;
    const overlapping = kept.filter(
      (other) => other.startsAt < pass.expiresAt && pass.startsAt < other.expiresAt,
    );
    const end = Math.max(...overlapping.map(({ expiresAt }) => expiresAt.getTime()));
    if (overlapping.length === 0) kept.push(pass);
    else if (end >= pass.expiresAt.getTime()) decisions.set(pass.key, { kind: "superseded" });
    else {
      const startsAt = new Date(end);
      decisions.set(pass.key, { kind: "starts-later", startsAt });
      kept.push({ startsAt, expiresAt: pass.expiresAt });
    }
  }
  return decisions;
}
