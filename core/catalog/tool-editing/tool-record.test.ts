import { expect, test } from "vitest";
import { convertTool } from "#import-old-shop/convert-tools.ts";
import { free, parseWith } from "#tests/fixtures/catalogue-file-samples.ts";
import { createToolSchema } from "./schemas.ts";
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

const sent = { description: "A tool.", validityDays: "30", price: "149", availableStock: "5" };
test.each<[string, (name: string) => unknown]>([
  ["the form", (name) => createToolSchema.parse({ ...sent, name })],
  ["a catalogue file", (name) => parseWith({ tools: [{ ...free, name }] }).tools[0]],
  [
    "an import",
    (name) => {
      const converted = convertTool({ id: "t", fields: { ...sent, name }, where: "here" }, "Asia/Kolkata");
      return "row" in converted && converted.row;
    },
  ],
])("line breaks in the name of a tool become spaces: %s", (_, read) => {
  for (const lineBreak of ["\n", "\r\n", "\u2028"])
    expect(read(` Canva${lineBreak}Pro\n`)).toMatchObject({ name: "Canva Pro" });
});
