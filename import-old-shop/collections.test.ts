import { expect, test } from "vitest";
import { recogniseCollection } from "./collections.ts";

test.each([
  ["tools", "tools", true],
  ["Tools", "tools", true],
  ["USERS", "users", true],
  ["user_purchases", "user_purchases", true],
  ["userPurchases", "user_purchases", true],
  ["credentails", "credentials", false],
  ["crediantials", "credentials", false],
  ["credntials", "credentials", false],
  ["coupon_code", "coupon_codes", false],
])("'%s' is the collection %s", (name, collection, isExact) => {
  expect(recogniseCollection(name)).toEqual({ collection, isExact });
});

test.each(["orders", "settings", "", "reviews", "chats"])("'%s' is no collection of the old shop", (name) => {
  expect(recogniseCollection(name)).toBeNull();
});
