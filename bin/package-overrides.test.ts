import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");

/** The overrides without a line `- `name`: reason` in the document. */
function withoutReason({ overrides = {} }: { overrides?: object }, document: string): string[] {
  return Object.keys(overrides).filter((name) => !document.includes(`\n- \`${name}\`: `));
}

test("every override of a package has its reason in CONTRIBUTING.md", () => {
  expect(withoutReason(JSON.parse(read("package.json")), read("CONTRIBUTING.md"))).toEqual([]);
});

test("an override without a reason is named", () => {
  const overrides = { linkedom: "0.18.12", jose: "6.2.3" };
  expect(withoutReason({ overrides }, "Overrides:\n- `jose`: a mirror lacks later ones.\n")).toEqual([
    "linkedom",
  ]);
});
