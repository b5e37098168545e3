import { expect, test } from "vitest";
import { findBrandIcon } from "./tool-logo.tsx";

test.each([
  "Premium Netflix Access",
  "Surfshark VPN",
  "Udemy",
])("the tool %s has the icon of its brand", (name) => {
  expect(findBrandIcon(name)).toMatch(/^[mM][\d .-]+/);
});

test.each(["ChatGPT Pro", "Canva", "Netflixer", ""])("the name '%s' has no brand icon", (name) => {
  expect(findBrandIcon(name)).toBeNull();
});
