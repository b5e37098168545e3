import { expect, test } from "vitest";
import { createWrittenTables } from "./written-tables.ts";

const writtenBy = createWrittenTables();

test.each([
  [`insert into "users" ("id", "email") values ($1, $2) on conflict do nothing`, ["users"]],
  [`update "tools" set "available_stock" = "available_stock" - 1 where "tools"."id" = $1`, ["tools"]],
  [`delete from "user_purchases" where "id" = $1 returning "id"`, ["userPurchases"]],
  ["UPDATE tools\n  SET name = 'x'", ["tools"]],
  ["insert  into public.settings (key) values ($1)", ["settings"]],
  [`update "public"."coupon_codes" set code = $1`, ["couponCodes"]],
  ["update only refunds set status = 'failed'", ["refunds"]],
  ["merge into credentials using x on true when matched then do nothing", ["credentials"]],
  ["truncate table access_codes", ["accessCodes"]],
  [
    `with gone as (delete from "coupon_redemptions" returning *), less as (update coupon_codes set x = 1)
     insert into "audit_events" select * from gone`,
    ["couponRedemptions", "couponCodes", "auditEvents"],
  ],
])("%s writes its tables", (text, tables) => {
  expect(writtenBy(text)).toEqual(tables);
});

test.each([
  `select * from "users" where id = $1 for update`,
  `select 1 from tools for no key update of "tools" skip locked`,
  "insert into elsewhere.tools (name) values ($1) on conflict do update set name = $1",
  `select "updated_at", "tools" from "tools"`,
  "begin",
  "commit",
  "",
])("%s writes no table of the shop", (text) => {
  expect(writtenBy(text)).toBe(null);
});

test("a text is read once", () => {
  const text = "update users set email = $1";
  expect(writtenBy(text)).toBe(writtenBy(text));
});
