import { describe, expect, test } from "vitest";
import {
  type CouponEvent,
  type CouponState,
  changeCoupon,
  couponText,
  isUnanswered,
  NO_COUPON,
  resumeCoupon,
} from "./coupon-machine.ts";

const rows = {
  blank: NO_COUPON,
  spaces: { name: "entered", text: "  ", error: null },
  entered: { name: "entered", text: " monsoon ", error: null },
  refused: { name: "entered", text: "MONSOON", error: "This coupon has expired" },
  checking: { name: "checking", text: "MONSOON", beforePaying: false },
  applied: { name: "applied", code: "MONSOON", discountPercentage: 20 },
  removed: { name: "removed" },
} satisfies Record<string, CouponState>;
type Row = keyof typeof rows;

const apply: CouponEvent = { type: "coupon-apply" };
const remove: CouponEvent = { type: "coupon-removed" };
const edit = (text: string): CouponEvent => ({ type: "coupon-edited", text });
const accepted: CouponEvent = { type: "coupon-accepted", code: "MONSOON", discountPercentage: 20 };
const refused: CouponEvent = { type: "coupon-refused", error: "Invalid coupon code" };

describe("one event takes one step", () => {
  test.each<[Row, CouponEvent, CouponState]>([
    ["blank", edit("m"), { name: "entered", text: "m", error: null }],
    ["entered", apply, rows.checking],
    ["refused", apply, rows.checking],
    ["entered", { type: "coupon-apply", beforePaying: true }, { ...rows.checking, beforePaying: true }],
    ["checking", accepted, rows.applied],
    ["checking", refused, { ...rows.refused, error: "Invalid coupon code" }],
    ["checking", edit("MONSOONS"), { name: "entered", text: "MONSOONS", error: null }],
    ["refused", edit("MONSOO"), { name: "entered", text: "MONSOO", error: null }],
    ["applied", edit("MONSOO"), { name: "entered", text: "MONSOO", error: null }],
    ["applied", remove, rows.removed],
    ["removed", edit("S"), { name: "entered", text: "S", error: null }],
  ])("%s, %o", (from, event, expected) => {
    expect(changeCoupon(rows[from], event)).toEqual(expected);
  });
});

describe("an event without meaning changes nothing", () => {
  test.each<[Row, CouponEvent]>([
    ["blank", apply],
    ["spaces", apply],
    ["removed", apply],
    ["checking", apply],
    ["applied", apply],
    ["entered", remove],
    ["removed", remove],
    ["applied", edit("MONSOON")],
    ["removed", edit("")],
    ["entered", accepted],
    ["entered", refused],
    ["removed", accepted],
    ["applied", refused],
  ])("%s, %o", (from, event) => {
    expect(changeCoupon(rows[from], event)).toBe(rows[from]);
  });
});

test("what stands in the field, and whether it waits for an answer", () => {
  expect(Object.values(rows).map((row) => [couponText(row), isUnanswered(row)])).toEqual([
    ["", false],
    ["  ", false],
    [" monsoon ", true],
    ["MONSOON", false],
    ["MONSOON", false],
    ["MONSOON", false],
    ["", false],
  ]);
});

test("the coupon of an open checkout comes back, unless the buyer did something since", () => {
  const held = { code: "MONSOON", discountPercentage: 25 };
  const applied: CouponState = { name: "applied", ...held };
  expect(resumeCoupon(rows.blank, held)).toEqual(applied);
  expect(resumeCoupon(rows.applied, held)).toEqual(applied);
  for (const row of ["entered", "refused", "checking", "removed"] as const) {
    expect(resumeCoupon(rows[row], held)).toBe(rows[row]);
  }
  const other: CouponState = { name: "applied", code: "OTHER", discountPercentage: 5 };
  expect(resumeCoupon(other, held)).toBe(other);
  expect(resumeCoupon(rows.applied, null)).toBe(rows.applied);
});
