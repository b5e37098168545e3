import { expect, test } from "vitest";
import {
  catalogueAddress,
  categoryLabel,
  describeNothing,
  listCategories,
  readCatalogueParams,
} from "./catalogue-params.ts";

test("search and category are read from the address and written back to it", () => {
  expect(readCatalogueParams("?q=net%20flix&category=Streaming")).toEqual({
    query: "net flix",
    category: "streaming",
  });
  expect(catalogueAddress({ query: " net flix ", category: "streaming" })).toBe(
    "/?q=net+flix&category=streaming",
  );
});

test("the address of the catalogue without a search and a category has no parameters", () => {
  expect(readCatalogueParams("")).toEqual({ query: "", category: "" });
  expect(catalogueAddress({ query: "  ", category: "" })).toBe("/");
});

test("a search of the catalogue that cannot be done says why, and a long one is cut", () => {
  const { query } = readCatalogueParams(`?q=${"a".repeat(5000)}`);
  expect(query).toHaveLength(101);
  expect(describeNothing(query, "")).toBe("A search has at most 100 characters.");
  expect(describeNothing("\u200b\u2060", "vpn")).toBe("Type a letter, a number or a sign.");
  expect(describeNothing("netflix", "")).toBe("No tool matches “netflix”.");
});

test("each category of the tools is listed once", () => {
  const tools = ["writing", "Design", "writing", "vpn"].map((category) => ({ category }));
  expect(listCategories(tools)).toEqual(["design", "vpn", "writing"]);
});

test("a category is written as a label, and a short one as an abbreviation", () => {
  expect(["streaming", "vpn", "ai"].map(categoryLabel)).toEqual(["Streaming", "VPN", "AI"]);
});
