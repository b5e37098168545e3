import { CatalogueFileError, parseCatalogueFile } from "../catalogue-file.ts";

export const option = { label: "30 Days", validityDays: 30, price: 119, originalPrice: 499 };
export const canva = {
  slug: "canva",
  name: "Canva",
  description: "Posters and slides.",
  features: ["Templates"],
  pricingOptions: [option],
  servers: [{ id: "canva-server-1", name: "Server 1" }],
};
export const free = {
  ...canva,
  slug: "free",
  name: "Free",
  pricingOptions: [],
  price: 0,
  validityDays: 30,
  servers: [{ id: "free-server-1", name: "Server 1" }],
};
export const code = { toolSlug: "canva", serverName: "Server 1", simpleCode: "SECRET-1" };
export const credential = { service: "QuillBot", email: "a@example.com", password: "SECRET-2" };
export const coupon = { code: "WELCOME20", toolSlug: "canva", discountPercentage: 20 };

/** Parses a valid file of one tool with these sections added or replaced. */
export const parseWith = (sections: object) =>
  parseCatalogueFile(JSON.stringify({ store: { name: "Shop" }, tools: [canva], ...sections }));
export const withTool = (changes: object) => () => parseWith({ tools: [{ ...canva, ...changes }] });
export const withOption = (changes: object) => withTool({ pricingOptions: [{ ...option, ...changes }] });

/** The problems for which `parse` throws. Fails when it does not throw. */
export function problemsOf(parse: () => unknown): readonly string[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof CatalogueFileError) return error.problems;
    throw error;
  }
  throw new Error("the file was accepted");
}
