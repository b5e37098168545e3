import { expect, test } from "vitest";
import { judge } from "./works-here.tsx";

test.each([
  [["phone", "laptop"], "phone", true, "Works on your phone"],
  [["phone", "laptop", "extension"], "phone", true, "Works on your phone"],
  [["laptop"], "phone", false, "Computer only"],
  [["laptop", "extension"], "phone", false, "Computer only, with our extension"],
  [["phone", "laptop"], "computer", true, "Works on this computer"],
  [["laptop", "extension"], "computer", true, "Works on this computer, with our extension"],
  [["phone"], "computer", false, "Phone only"],
] as const)("a tool for %j on a %s: %s, %s", (places, device, fits, text) => {
  expect(judge(places, device === "computer")).toMatchObject({ fits, text });
});

test("a tool that does not work on the device says where it can be used instead", () => {
  expect(judge(["laptop"], false).advice).toContain("use it on a computer");
  expect(judge(["phone"], true).advice).toContain("use it on a phone");
  expect(judge(["phone"], false).advice).toBeNull();
});
