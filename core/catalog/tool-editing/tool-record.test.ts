import { expect, test } from "vitest";
import { makeToolSlug } from "./tool-record.ts";

test.each([
  ["Canva Pro", "canva-pro"],
  ["Café & Co.", "cafe-co"],
  ["हिंदी AI", "ai"],
  ["हिंदी टूल", "tool-2"],
  ["🎬", "tool-2"],
])("the slug of %s has English letters and digits only, and is never empty: %s", (name, slug) => {
  expect(makeToolSlug(name, (candidate) => candidate === "tool")).toBe(slug);
});
