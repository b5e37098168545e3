import { expect, test } from "vitest";
import { listLicences } from "./write-sbom.ts";

test("packages are listed by licence, and those that name none are last", () => {
  const bom = {
    components: [
      { name: "silent", version: "1.0.0" },
      { name: "pg", version: "8.23.1", licenses: [{ license: { id: "MIT" } }] },
      { name: "@a/b", version: "2.0.0", licenses: [{ license: { id: "MIT" } }] },
      { name: "two", version: "3.0.0", licenses: [{ expression: "(MIT OR CC0-1.0)" }] },
      { name: "own", version: "4.0.0", licenses: [{ license: { name: "Own terms" } }] },
    ],
  };
  expect(listLicences(bom)).toEqual({
    text: [
      "(MIT OR CC0-1.0) (1)",
      "  two@3.0.0",
      "",
      "MIT (2)",
      "  @a/b@2.0.0",
      "  pg@8.23.1",
      "",
      "Own terms (1)",
      "  own@4.0.0",
      "",
      "no licence named (1)",
      "  silent@1.0.0",
      "",
    ].join("\n"),
    unnamed: ["silent@1.0.0"],
  });
});
