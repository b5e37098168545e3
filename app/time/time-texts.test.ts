import { afterEach, expect, test } from "vitest";
import hindi from "#languages/hi/screens.json" with { type: "json" };
import { addCatalogue, followLanguage } from "../ui/texts/texts.ts";
import { optionLabel } from "./time-texts.ts";

afterEach(() => followLanguage(() => "en"));

test("the shop's own label of a duration is in the reader's language, and the owner's label stays", () => {
  const labels = ["30 Days", "30 days", "Student"];
  const shown = () => labels.map((label) => optionLabel({ label, validityDays: 30 }));
  expect(shown()).toEqual(labels);
  expect(optionLabel({ label: "1 Day", validityDays: 1 })).toBe("1 Day");
  addCatalogue("hi", hindi);
  followLanguage(() => "hi");
  expect(shown()).toEqual(["30 दिन", "30 दिन", "Student"]);
});
