import { expect, test } from "vitest";
import {
  type AmountUnit,
  type ConvertedPurchase,
  convertPurchase,
  decideOverlaps,
  type PassInTime,
} from "./convert-purchases.ts";
import { CHECK } from "./field-reader.ts";

const now = new Date("2026-11-25T12:00:00Z");
const canva = { id: "canva-id", name: "Canva", validityDays: 30, pricesPaise: [14900, 39900] };
const context = {
  collection: "user_purchases" as const,
  tools: {
    byId: () => null,
    byName: (name: string) => (name.trim().toLowerCase() === "canva" ? canva : null),
  },
  unsoldDemo: new Map([["demo", "demo-id"]]),
  timeZone: "Asia/Kolkata",
  now,
  unit: "paise" as const,
};

function converted(
  fields: Record<string, unknown>,
  collection: "user_purchases" | "purchases" = "user_purchases",
  unit: AmountUnit = collection === "purchases" ? "rupees" : "paise",
) {
  const document = { id: "p1", fields: { userId: "u1", toolName: "Canva", ...fields }, where: "here" };
  const result = convertPurchase(document, { ...context, collection, unit });
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

const checksOf = (repairs: readonly string[]) => repairs.filter((repair) => repair.startsWith(CHECK));

test.each([
  ["rupees", 149, 14900, 0],
  ["rupees", 120, 12000, 0],
  ["rupees", 14900, 1490000, 1],
  ["rupees", "₹120", 12000, 0],
  ["rupees", "149", 14900, 0],
  ["paise", 14900, 14900, 0],
  ["paise", 13410, 13410, 0],
  ["paise", 149, 14900, 1],
  ["paise", "120", 12000, 1],
  ["paise", "₹120", 12000, 0],
  ["paise", 133.5, 13350, 0],
  ["paise", -5, 0, 0],
  ["paise", 0, 0, 0],
] as const)("the amount in a collection of %s, %s, is %i paise", (unit, amount, paise, checks) => {
  const { row, repairs } = converted({ ...bought, amount }, "user_purchases", unit);
  expect(row.amountPaise).toBe(paise);
  expect(checksOf(repairs)).toHaveLength(checks);
});

test("an amount without a tool is never divided by 100 when it is small", () => {
  const gone = { ...bought, toolName: "Gone" };
  expect(rowOf({ ...gone, amount: 149 }).amountPaise).toBe(14900);
  expect(rowOf({ ...gone, amount: 14900 }).amountPaise).toBe(14900);
});

test("a tool that only the demo has is named as such", () => {
  expect(checksOf(converted({ ...bought, toolName: "Demo" }).repairs)).toEqual([
    `${CHECK}the shop has only an unsold demo tool "Demo"`,
  ]);
  expect(checksOf(converted({ ...bought, toolName: "Gone" }).repairs)).toEqual([
    `${CHECK}the shop has no tool "Gone"`,
  ]);
});

test.each(["pending", "failed"])("an active purchase whose payment is %s gives no access", (payment) => {
  const { row, repairs } = converted({ ...bought, status: "active", paymentStatus: payment });
  expect(row).toMatchObject({ status: payment, startsAt: null });
  expect(checksOf(repairs)).toHaveLength(1);
  expect(rowOf({ ...bought, status: "active", paymentStatus: "paid" }).status).toBe("active");
  const refunded = converted({ ...bought, status: "active", paymentStatus: "refunded" });
  expect([refunded.row.status, checksOf(refunded.repairs).length]).toEqual(["active", 1]);
});

test("a start in the future is the start of the pass", () => {
  const start = new Date("2026-12-10T00:00:00Z");
  expect(rowOf({ ...bought, startDate: "2026-12-10T00:00:00Z", validity: 7 })).toMatchObject({
    startsAt: start,
    expiresAt: new Date("2026-12-17T00:00:00Z"),
  });
  expect(rowOf({ ...bought, startDate: "2026-11-20T00:00:00Z" }).startsAt).toEqual(
    new Date(bought.createdAt),
  );
});

test("a date in the future is the start, and a start is never after its end", () => {
  expect(
    rowOf({ ...bought, createdAt: "2027-01-01T00:00:00Z", expiresAt: "2027-02-01T00:00:00Z" }),
  ).toMatchObject({
    startsAt: new Date("2027-01-01T00:00:00Z"),
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

test("the pass that ends last of passes that overlap runs, and the others are history", () => {
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
