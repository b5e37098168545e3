import { expect, test } from "vitest";
import {
  type CouponEvent,
  type CouponState,
  couponText,
  isUnchecked,
  NO_COUPON,
  restoreCoupon,
  transitionCoupon,
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
])("the coupon row in the state %s is led by the event %o to %o", (from, event, expected) => {
  expect(transitionCoupon(rows[from], event)).toEqual(expected);
});

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
])("the coupon row in the state %s is not changed by the event %o", (from, event) => {
  expect(transitionCoupon(rows[from], event)).toBe(rows[from]);
});

test("each state of the coupon row has its text in the field, and only a typed code counts as unchecked", () => {
  expect(Object.values(rows).map((row) => [couponText(row), isUnchecked(row)])).toEqual([
    ["", false],
    ["  ", false],
    [" monsoon ", true],
    ["MONSOON", false],
    ["MONSOON", false],
    ["MONSOON", false],
    ["", false],
  ]);
});

test("the coupon of an open checkout is shown as applied again, unless the buyer has changed the row since", () => {
  const held = { code: "MONSOON", discountPercentage: 25 };
  const applied: CouponState = { name: "applied", ...held };
  expect(restoreCoupon(rows.blank, held)).toEqual(applied);
  expect(restoreCoupon(rows.applied, held)).toEqual(applied);
  for (const row of ["entered", "refused", "checking", "removed"] as const) {
    expect(restoreCoupon(rows[row], held)).toBe(rows[row]);
  }
  const other: CouponState = { name: "applied", code: "OTHER", discountPercentage: 5 };
  expect(restoreCoupon(other, held)).toBe(other);
  expect(restoreCoupon(rows.applied, null)).toBe(rows.applied);
});
