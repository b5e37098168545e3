import { createHash } from "node:crypto";

/**
 * The `key` of the Chrome extension of a shop. Chrome derives the extension's id from it, so the id is the same on every
 * computer, and different for each shop. It is no secret and signs nothing.
 */
export function extensionKeyOf(origin: string): string {
  return createHash("sha512").update(`daypass extension of ${origin}`).digest("base64");
}

/** The id that Chrome gives to the extension of a shop: 32 letters from a to p, one for each hex digit of a hash. */
export function extensionIdOf(origin: string): string {
  const hash = createHash("sha256")
    .update(Buffer.from(extensionKeyOf(origin), "base64"))
    .digest("hex");
  return [...hash.slice(0, 32)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join("");
}
