import { expect, test } from "vitest";
import { markFor } from "./tool-marks.ts";

test.each(["Premium Netflix Access", "Surfshark VPN", "Udemy"])("%s has its mark", (name) => {
  expect(markFor(name)).toMatch(/^[mM][\d .-]+/);
});

test.each(["ChatGPT Pro", "Canva", "Netflixer", ""])("'%s' has none", (name) => {
  expect(markFor(name)).toBeNull();
});
