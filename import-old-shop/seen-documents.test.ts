import { expect, test } from "vitest";
import { SeenDocuments } from "./seen-documents.ts";

const hashOf = (number: number) => number.toString(16).padStart(64, "0").split("").toReversed().join("");

test("every one of many documents is found again, with the same content or another one", () => {
  const seen = new SeenDocuments();
  const count = 20_000;
  for (let at = 0; at < count; at++) expect(seen.add(`document-${at}`, hashOf(at))).toBeNull();
  for (let at = 0; at < count; at++) {
    expect(seen.add(`document-${at}`, hashOf(at))).toBe("same");
    expect(seen.add(`document-${at}`, hashOf(at + 1))).toBe("different");
  }
  expect(seen.add("document-x", hashOf(1))).toBeNull();
});
