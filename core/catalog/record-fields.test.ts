import { getTableColumns } from "drizzle-orm";
import { expect, test } from "vitest";
import { couponCodes, tools } from "#db/tables/catalog.ts";
import { COUPON_FIELDS } from "./coupon-fields.ts";
import { valuesOf } from "./record-fields.ts";
import { TOOL_FIELDS } from "./tool-fields.ts";

test.each([
  ["coupon", COUPON_FIELDS, couponCodes],
  ["tool", TOOL_FIELDS, tools],
] as const)("each field of a %s has a column, because a value without one is not stored", (_record, fields, table) => {
  const columns = Object.keys(getTableColumns(table));
  expect(columns).toEqual(expect.arrayContaining(Object.keys(valuesOf(fields, {}))));
});
