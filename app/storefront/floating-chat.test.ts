import { expect, test } from "vitest";
import { findLift } from "./floating-chat.tsx";

const button = { left: 300, right: 348, top: 580, bottom: 628 };

test("a box that covers nothing stays where it is", () => {
  expect(findLift(button, [{ left: 0, right: 200, top: 580, bottom: 628 }], 300)).toBe(0);
  expect(findLift(button, [], 300)).toBe(0);
});

test("a box moves up until it is above what it would cover", () => {
  const price = { left: 280, right: 360, top: 600, bottom: 640 };
  expect(findLift(button, [price], 300)).toBe(628 + 6 - 600);
});

test("a box moves past everything that is in its way", () => {
  const lower = { left: 280, right: 360, top: 600, bottom: 640 };
  const upper = { left: 280, right: 360, top: 540, bottom: 590 };
  expect(findLift(button, [lower, upper], 300)).toBe(628 + 6 - 540);
});

test("without a clear place in reach a box stays where it is", () => {
  const column = { left: 280, right: 360, top: 0, bottom: 640 };
  expect(findLift(button, [column], 300)).toBe(0);
});
