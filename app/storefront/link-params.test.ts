import { expect, test } from "vitest";
import { withoutLinkParams } from "./link-params.ts";

test.each([
  ["", ""],
  ["?coupon=SAVE20", ""],
  ["?utm_source=whatsapp&utm_campaign=diwali&ref=asha&fbclid=x&gclid=y", ""],
  ["?UTM_SOURCE=x", ""],
  ["?q=canva&coupon=SAVE20&category=design", "?q=canva&category=design"],
  ["?q=%E0%A4%95%2F&utm_", "?q=%E0%A4%95%2F&utm_"],
  ["?couponing=1&reference=2", "?couponing=1&reference=2"],
  ["?%FF=1&coupon=%FF", "?%EF%BF%BD=1"],
])("of the query %s remains %s", (search, remaining) => {
  expect(withoutLinkParams(search)).toBe(remaining);
});

test("a very long query stays as it is", () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `utm_${at}`).join("&");
  expect(withoutLinkParams(`?${names}`)).toBe(`?${names}`);
});
