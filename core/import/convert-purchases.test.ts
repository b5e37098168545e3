import { expect, test } from "vitest";
import {
  type ConvertedPurchase,
  convertPurchase,
  decideOverlaps,
  type PassInTime,
} from "./convert-purchases.ts";

const now = new Date("2026-11-25T12:00:00Z");
const canva = { id: "canva-id", name: "Canva", validityDays: 30, pricesPaise: [14900, 39900] };
const context = {
  collection: "user_purchases" as const,
  tools: {
    byId: () => null,
    byName: (name: string) => (name.trim().toLowerCase() === "canva" ? canva : null),
  },
  timeZone: "Asia/Kolkata",
  now,
};

function converted(
  fields: Record<string, unknown>,
  collection: "user_purchases" | "purchases" = "user_purchases",
) {
  const document = { id: "p1", fields: { userId: "u1", toolName: "Canva", ...fields }, where: "here" };
  const result = convertPurchase(document, { ...context, collection });
  if ("refused" in result) throw new Error(result.refused);
  return result;
}
const rowOf = (...args: Parameters<typeof converted>): ConvertedPurchase => converted(...args).row;
const bought = { status: "completed", amount: 14900, createdAt: "2026-11-01T00:00:00Z" };

test("a purchase without an expiry ends after its validity, or else that of its tool", () => {
  expect(rowOf({ ...bought, validity: "7" }).expiresAt).toEqual(new Date("2026-11-08T00:00:00Z"));
  expect(rowOf(bought).expiresAt).toEqual(new Date("2026-12-01T00:00:00Z"));
  expect(rowOf({ ...bought, toolName: "Gone" })).toMatchObject({
    tool: null,
    toolName: "Gone",
    validityDays: 30,
  });
});

test("an expiry on a day lasts until the end of that day in the shop's time zone", () => {
  expect(rowOf({ ...bought, expiresAt: "01/12/2026" }).expiresAt).toEqual(new Date("2026-12-01T18:29:59Z"));
});

test.each([
  ["completed", "completed"],
  ["Completed", "completed"],
  ["paid", "completed"],
  ["expired", "completed"],
  ["active", "active"],
  ["pending", "pending"],
  ["failed", "failed"],
  ["refunded", "failed"],
  ["something else", "failed"],
  ["constructor", "failed"],
])("the status '%s' is %s", (status, expected) => {
  const { row, repairs } = converted({ ...bought, status });
  expect(row.status).toBe(expected);
  expect(repairs.some((repair) => repair.includes("status"))).toBe(status !== expected);
});

test("a purchase without a status gives no access", () => {
  const { status: _, ...without } = bought;
  expect(rowOf(without)).toMatchObject({ status: "failed", startsAt: null, expiresAt: null });
});

test("amounts are paise in the newer collection and rupees in the legacy one", () => {
  expect(rowOf(bought).amountPaise).toBe(14900);
  expect(rowOf({ ...bought, price: 149, amount: undefined }, "purchases").amountPaise).toBe(14900);
  expect(rowOf({ ...bought, amount: 149 }).amountPaise, "a price of the tool in rupees").toBe(14900);
  expect(rowOf({ ...bought, amount: "₹120" }).amountPaise, "a currency").toBe(12000);
  expect(rowOf({ ...bought, amount: 120 }).amountPaise, "no price of the tool").toBe(120);
  expect(rowOf({ ...bought, amount: -5 }).amountPaise).toBe(0);
});

test("a date in the future counts as today, and a start is never after its end", () => {
  expect(
    rowOf({ ...bought, createdAt: "2027-01-01T00:00:00Z", expiresAt: "2027-02-01T00:00:00Z" }),
  ).toMatchObject({
    startsAt: now,
    createdAt: now,
  });
  const backwards = rowOf({ ...bought, expiresAt: "2026-10-01T00:00:00Z" });
  expect(backwards.startsAt).toEqual(backwards.expiresAt);
});

test("a pass without any date is refused, and one whose status says 'expired' has ended", () => {
  const document = {
    id: "p1",
    fields: { userId: "u1", toolName: "Canva", status: "completed" },
    where: "here",
  };
  expect(convertPurchase(document, context)).toHaveProperty("refused");
  expect(rowOf({ ...bought, status: "expired", expiresAt: "2027-01-01T00:00:00Z" })).toMatchObject({
    status: "completed",
    expiresAt: now,
  });
});

test("a purchase without a buyer is refused", () => {
  const document = { id: "p1", fields: { toolName: "Canva" }, where: "here" };
  expect(convertPurchase(document, context)).toEqual({ refused: "it names no buyer" });
});

const day = (number: number) => new Date(Date.UTC(2026, 10, number));
const pass = (key: string, from: number, to: number, more: Partial<PassInTime> = {}): PassInTime => ({
  key,
  startsAt: day(from),
  expiresAt: day(to),
  isInShop: false,
  collection: "user_purchases",
  ...more,
});

test("of passes that overlap the one that ends last runs, and the others are history", () => {
  const decisions = decideOverlaps([
    pass("a", 1, 20),
    pass("b", 10, 30),
    pass("c", 12, 15),
    pass("d", 30, 40),
  ]);
  expect(Object.fromEntries(decisions)).toEqual({ a: { isSuperseded: true }, c: { isSuperseded: true } });
});

test("passes that follow each other all run", () => {
  expect(decideOverlaps([pass("a", 1, 10), pass("b", 10, 20), pass("c", 21, 30)]).size).toBe(0);
});

test("a pass of the shop stays, and an imported one that ends later begins at its end", () => {
  const own = pass("own", 5, 15, { isInShop: true, collection: null });
  expect(Object.fromEntries(decideOverlaps([own, pass("short", 1, 10), pass("long", 2, 30)]))).toEqual({
    short: { isSuperseded: true },
    long: { startsAt: day(15) },
  });
});

test("an assignment that both collections have is one purchase, with the later end", () => {
  const legacy = { collection: "purchases" as const };
  expect(Object.fromEntries(decideOverlaps([pass("new", 1, 30), pass("old", 1, 30, legacy)]))).toEqual({
    old: { sameAs: "new" },
  });
  expect(Object.fromEntries(decideOverlaps([pass("new", 1, 20), pass("old", 1, 30, legacy)]))).toEqual({
    old: { sameAs: "new" },
    new: { expiresAt: day(30) },
  });
});

test("a record joins the row that an earlier import made of the other one, in both directions", () => {
  const imported = (collection: "user_purchases" | "purchases", more: Partial<PassInTime> = {}) =>
    pass("row", 1, 30, { isInShop: true, collection, ...more });
  const joined = { late: { sameAs: "row" } };
  const newer = pass("late", 1, 30);
  const legacy = pass("late", 1, 30, { collection: "purchases" });
  expect(Object.fromEntries(decideOverlaps([imported("purchases"), newer]))).toEqual(joined);
  expect(Object.fromEntries(decideOverlaps([imported("user_purchases"), legacy]))).toEqual(joined);
  const history = imported("user_purchases", { isEnded: true });
  expect(Object.fromEntries(decideOverlaps([history, legacy]))).toEqual(joined);
  expect(decideOverlaps([imported("user_purchases"), pass("other", 2, 30)]).get("other")).toEqual({
    isSuperseded: true,
  });
});

test("the passes that run never overlap, and the last moment of access stays", () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % below;
  };
  for (let round = 0; round < 500; round++) {
    const passes = Array.from({ length: 1 + random(6) }, (_, at) => {
      const from = 1 + random(20);
      return pass(String(at), from, from + 1 + random(15), {
        collection: random(2) === 0 ? "user_purchases" : "purchases",
      });
    });
    const decisions = decideOverlaps(passes);
    const running = passes
      .filter(({ key }) => !decisions.get(key)?.sameAs && !decisions.get(key)?.isSuperseded)
      .map((one) => ({ ...one, expiresAt: decisions.get(one.key)?.expiresAt ?? one.expiresAt }))
      .toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
    for (const [at, one] of running.entries())
      expect((running[at + 1]?.startsAt ?? one.expiresAt).getTime()).toBeGreaterThanOrEqual(
        one.expiresAt.getTime(),
      );
    const lastOf = (all: readonly PassInTime[]) =>
      Math.max(...all.map(({ expiresAt }) => expiresAt.getTime()));
    expect(lastOf(running)).toBe(lastOf(passes));
  }
});
