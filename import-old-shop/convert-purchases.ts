import { EMAIL_MAXIMUM } from "#core/accounts/rules.ts";
import { TOOL_LIMITS, toOneLine } from "#core/catalog/limits.ts";
import { formatPaise } from "#core/money.ts";
import { addDays, MINUTE } from "#core/time.ts";
import { normaliseCouponCode, normaliseEmail } from "#core/typed-text.ts";
import { FALLBACK_DAYS, sameName } from "./convert-tools.ts";
import { type Conversion, endOf, FieldReader, fitText } from "./field-reader.ts";
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
  /** Which unit the amount proves; null: neither or both. */
  provesUnit: AmountUnit | null;
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
  /** The id at the payment gateway. */
  paymentId: string | null;
}

interface PurchaseContext {
  collection: "user_purchases" | "purchases";
  /** The tools of the shop, in any case. */
  tools: { byId(id: string): KnownTool | null; byName(name: string): KnownTool | null };
  /** By their name in lower case: tools that are only of the demo, and that nobody bought. */
  unsoldDemo: ReadonlyMap<string, string>;
  timeZone: string;
  now: Date;
  /** In which the collection has its amounts. */
  unit: AmountUnit;
}

export type AmountUnit = "rupees" | "paise";

/** What other words for a status mean. Any other word is a purchase without access. */
const STATUSES: Readonly<Record<string, OldStatus>> = {
  pending: "pending",
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
/** Some passes were sold for life. */
const MAX_DAYS = 100_000;

/** @returns refused without a buyer, and a pass without any date: an invented date would give access */
export function convertPurchase(
  document: OldDocument,
  context: PurchaseContext,
): Conversion<ConvertedPurchase> {
  const reader = new FieldReader(document, context.timeZone);
  const { repairs } = reader;
  const uid = lastPart(reader.text("userId", "uid", "user"));
  const typedEmail = normaliseEmail(reader.text("userEmail", "email", "buyerEmail") ?? "");
  const email = typedEmail.length > EMAIL_MAXIMUM ? null : typedEmail || null;
  if (uid === null && email === null) return { refused: "it names no buyer" };
  const { tool, toolName } = convertTool(reader, context);
  const validity = reader.days("validity", "validityDays", "days", "duration");
  const validityDays = Math.min(validity ?? tool?.validityDays ?? FALLBACK_DAYS, MAX_DAYS);
  const status = convertStatus(reader);
  const text = (...names: string[]) => {
    const found = reader.text(...names);
    return found === null ? null : fitText(reader, names[0] ?? "", found, TEXT_LENGTH);
  };
  const coupon = reader.text("couponCode", "couponUsed", "coupon");
  const times = convertTimes(reader, { status, validityDays, now: context.now });
  if (times === null) return { refused: "it has neither a readable date nor an expiry" };
  return {
    row: {
      uid,
      email,
      tool,
      toolName,
      validityDays,
      ...convertAmount(reader, context, tool),
      status,
      // The legacy collection may only say that a coupon was used, without its code.
      couponCode:
        coupon === null || /^(?:true|false)$/i.test(coupon) ? null : normaliseCouponCode(coupon).slice(0, 60),
      ...times,
      assignedBy: text("assignedBy"),
      notes: text("notes", "note"),
      errorMessage: text("errorMessage", "error"),
      paymentId: reader.text("paymentId", "razorpayPaymentId", "transactionId"),
    },
    repairs,
  };
}

/** The id in a reference such as "users/abc". */
const lastPart = (text: string | null) => text?.split("/").at(-1) || null;

function convertTool(
  reader: FieldReader,
  { tools, unsoldDemo }: PurchaseContext,
): { tool: KnownTool | null; toolName: string } {
  const named = reader.text("toolName", "name", "tool", "productName");
  const id = lastPart(reader.text("toolId", "productId"));
  const tool = (id === null ? null : tools.byId(id)) ?? (named === null ? null : tools.byName(named));
  const typed = toOneLine(named ?? tool?.name ?? id ?? "");
  if (typed === "") reader.check("it names no tool");
  else if (tool === null) reader.check(noTool(typed, { unsoldDemo }));
  // As the shop spells it, when only case and spaces differ.
  if (tool !== null && sameName(tool.name, typed)) return { tool, toolName: tool.name };
  return { tool, toolName: fitText(reader, "toolName", typed || "Unknown Tool", TOOL_LIMITS.name) };
}

/** Why something has no tool. */
export function noTool(name: string, { unsoldDemo }: Pick<PurchaseContext, "unsoldDemo">): string {
  const isDemo = unsoldDemo.has(name.trim().toLowerCase());
  return `the shop has ${isDemo ? "only an unsold demo tool" : "no tool"} "${name.trim().slice(0, TOOL_LIMITS.name)}"`;
}

function convertStatus(reader: FieldReader): OldStatus {
  const found = reader.text("status", "paymentStatus", "purchaseStatus");
  if (found === null) {
    reader.repairs.push("it has no status, so it gives no access");
    return "failed";
  }
  const word = found.toLowerCase();
  const status = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
  const payment = reader.text("paymentStatus");
  const paid = payment === null ? "completed" : STATUSES[payment.toLowerCase()];
  if (status === "active" && (paid === "pending" || paid === "failed")) {
    reader.check(`its status is "${found}", but its payment is "${payment}", so it gives no access`);
    return paid;
  }
  // The old shop looked at the status only.
  if (status === "active" && paid === undefined)
    reader.check(`its status is "${found}", but its payment is "${payment?.slice(0, 40)}"`);
  if (status !== found) reader.repairs.push(`the status "${found.slice(0, 40)}" is ${status ?? "failed"}`);
  return status ?? "failed";
}

/** A text with a currency is rupees, wherever it is. */
const IN_RUPEES = /₹|rs|inr|rupee/i;

/** Less is no amount in paise: ₹10. */
const SMALLEST_IN_PAISE = 1000;

/** Whether the amount can be rupees: in paise it would be a discount of 99 percent. */
function fitsRupees(typed: number, pricesPaise: readonly number[]): boolean {
  const highest = Math.max(0, ...pricesPaise);
  return highest === 0 ? typed < SMALLEST_IN_PAISE : typed * 100 <= highest * 1.2;
}

/**
 * Amounts are rupees unless the collection proves that they are paise: then every amount that could not be a price in paise is
 * rupees all the same, with a line, because money that is divided by 100 by mistake is lost in every figure.
 */
function convertAmount(
  reader: FieldReader,
  { collection, unit }: PurchaseContext,
  tool: KnownTool | null,
): Pick<ConvertedPurchase, "amountPaise" | "provesUnit"> {
  const names = collection === "purchases" ? ["price", "amount"] : ["amount", "price"];
  const typed = reader.number(...names);
  if (typed === null || typed < 0) {
    reader.repairs.push(
      typed === null ? "it has no amount, so it is 0" : `the amount ${typed} is negative and counts as 0`,
    );
    return { amountPaise: 0, provesUnit: null };
  }
  const inPaise = Math.round(typed * 100);
  const prices = tool?.pricesPaise ?? [];
  const [isPaisePrice, isRupeePrice] = [prices.includes(typed), prices.includes(inPaise)];
  // A text with a currency is rupees, wherever it is, and so are decimals.
  const saysRupees = IN_RUPEES.test(String(reader.raw(...names)?.value)) || !Number.isInteger(typed);
  const isClear = typed > 0 && !saysRupees && isPaisePrice !== isRupeePrice;
  const provesUnit = isClear ? (isPaisePrice ? "paise" : "rupees") : null;
  const isRupees =
    saysRupees || unit === "rupees" || (!isPaisePrice && (isRupeePrice || fitsRupees(typed, prices)));
  if (typed > 0 && !saysRupees) {
    if (isRupees && unit === "paise")
      reader.check(
        `the amount ${typed} is read as ${formatPaise(inPaise)}, although other amounts of its collection are paise`,
      );
    if (isRupees && isPaisePrice && !isRupeePrice)
      reader.check(
        `the amount ${typed} is read as ${formatPaise(inPaise)}; in paise it would be a price of the tool`,
      );
  }
  return { amountPaise: Math.min(isRupees ? inPaise : Math.round(typed), MAX_PAISE), provesUnit };
}

/**
 * The old shop gave access from the purchase until the expiry. A start, or a date, that is still to come is the start of the pass.
 *
 * @returns null for a pass without any date
 */
function convertTimes(
  reader: FieldReader,
  { status, validityDays, now }: { status: OldStatus; validityDays: number; now: Date },
): Pick<ConvertedPurchase, "startsAt" | "expiresAt" | "capturedAt" | "createdAt"> | null {
  const created = reader.moment("createdAt", "purchaseDate", "purchasedAt", "date");
  const captured = reader.moment("capturedAt", "paidAt");
  const expiry = reader.moment("expiresAt", "expiryDate", "expiry", "validUntil");
  const end = expiry === null ? null : endOf(expiry);
  const given = created?.value ?? captured?.value ?? null;
  const isPass = status === "completed" || status === "active";
  if (given === null && end === null && isPass) return null;
  const bought = given ?? (end === null ? now : addDays(end, -validityDays));
  if (given === null)
    reader.repairs.push(
      end === null
        ? "it has no date, so today is used"
        : "it has no date, so the date is its expiry minus its validity",
    );
  const createdAt = bought > now ? now : bought;
  // The old shop gave access before the start that a document names, unless that is still to come.
  const start = reader.moment("startsAt", "startDate", "startTime", "validFrom")?.value ?? bought;
  const startsAt = start > now ? start : createdAt;
  if (startsAt > now) reader.repairs.push(`it begins in the future, on ${startsAt.toISOString()}`);
  if (!isPass) return { startsAt: null, expiresAt: null, capturedAt: null, createdAt };
  if (end === null) reader.repairs.push(`it has no expiry, so it ends ${validityDays} days after its date`);
  const expiresAt = endOfExpiredStatus(reader, end ?? addDays(startsAt, validityDays), now);
  if (expiresAt < startsAt) reader.repairs.push("it ends before it begins, so it gave no access");
  return {
    startsAt: expiresAt < startsAt ? expiresAt : startsAt,
    expiresAt,
    capturedAt: captured?.value ?? null,
    createdAt,
  };
}

/** An admin of the old shop ended a pass by the status "expired". */
function endOfExpiredStatus(reader: FieldReader, expiresAt: Date, now: Date): Date {
  const isEnded = /^expired$/i.test(reader.text("status", "paymentStatus", "purchaseStatus") ?? "");
  if (!isEnded || expiresAt <= now) return expiresAt;
  reader.repairs.push("its status says that it has expired, so it has ended");
  return now;
}

/** A pass of one buyer and one tool, as far as others of them concern it. */
export interface PassInTime {
  /** Names the document, or the row of a pass that the shop has. */
  key: string;
  startsAt: Date;
  expiresAt: Date;
  /** A row that the shop has: it is not changed any more. */
  isInShop: boolean;
  /** It is history, so nothing overlaps it. Only for a row of the shop. */
  isEnded?: boolean;
  /** null: the shop sold it. */
  collection: "user_purchases" | "purchases" | null;
}

/** What happens to a pass because of others. Absent: nothing. */
export interface PassDecision {
  /** The old shop recorded it in both collections; this is the other record. */
  sameAs?: string;
  /** The other record of the purchase ends later. */
  expiresAt?: Date;
  /** A pass of the shop runs until then. */
  startsAt?: Date;
  /** Another one that ends later runs; this one is history. */
  isSuperseded?: true;
}

/** The old shop wrote both records of an assignment within a moment. */
const SAME_PURCHASE_MS = MINUTE;

/**
 * Decides about the passes of one buyer and one tool: no two may overlap, and the last day of access stays. The pass that ends
 * last of those that overlap runs. A pass of the shop stays as it is, and an imported one that ends later begins at its end.
 */
export function decideOverlaps(passes: readonly PassInTime[]): Map<string, PassDecision> {
  const decisions = joinRecords(passes);
  const running = passes
    .filter(({ key, isInShop }) => !isInShop && decisions.get(key)?.sameAs === undefined)
    .map((pass) => ({ ...pass, expiresAt: decisions.get(pass.key)?.expiresAt ?? pass.expiresAt }))
    .toSorted(
      (a, b) => b.expiresAt.getTime() - a.expiresAt.getTime() || a.startsAt.getTime() - b.startsAt.getTime(),
    );
  const kept: { startsAt: Date; expiresAt: Date }[] = passes.filter(
    ({ isInShop, isEnded }) => isInShop && !isEnded,
  );
  for (const pass of running) {
    if (pass.startsAt >= pass.expiresAt) continue;
    const overlapping = kept.filter(
      (other) => other.startsAt < pass.expiresAt && pass.startsAt < other.expiresAt,
    );
    const startsAt = new Date(
      Math.max(pass.startsAt.getTime(), ...overlapping.map(({ expiresAt }) => expiresAt.getTime())),
    );
    const decision = decisions.get(pass.key);
    if (startsAt >= pass.expiresAt) decisions.set(pass.key, { ...decision, isSuperseded: true });
    else {
      kept.push({ startsAt, expiresAt: pass.expiresAt });
      if (overlapping.length > 0) decisions.set(pass.key, { ...decision, startsAt });
    }
  }
  return decisions;
}

/** Finds the second records of purchases that the other collection, or an earlier import of it, has too. */
function joinRecords(passes: readonly PassInTime[]): Map<string, PassDecision> {
  const decisions = new Map<string, PassDecision>();
  const joined = new Set<string>();
  for (const pass of passes) {
    if (pass.isInShop || pass.collection === null) continue;
    const same = passes.find(
      (other) =>
        other.collection !== null &&
        other.collection !== pass.collection &&
        // When both records are new, the legacy one joins the other.
        (other.isInShop || pass.collection === "purchases") &&
        !joined.has(other.key) &&
        Math.abs(other.startsAt.getTime() - pass.startsAt.getTime()) <= SAME_PURCHASE_MS &&
        // A row of the shop is not changed, so the later end would be lost.
        !(other.isInShop && pass.expiresAt > other.expiresAt),
    );
    if (same === undefined) continue;
    joined.add(same.key);
    decisions.set(pass.key, { sameAs: same.key });
    if (pass.expiresAt > same.expiresAt) decisions.set(same.key, { expiresAt: pass.expiresAt });
  }
  return decisions;
}
