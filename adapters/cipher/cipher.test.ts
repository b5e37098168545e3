import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createCipher } from "./cipher.ts";

const place = { table: "access_codes", rowId: "row-1", column: "simple_code_sealed" };
const old = { id: "k1", key: randomBytes(32) };
const fresh = { id: "k2", key: randomBytes(32) };
const lookupKey = randomBytes(32);
const cipher = createCipher({ keys: [old], lookupKey });

/** Flips one bit in one part of a sealed value. */
function flip(sealed: string, part: number): string {
  const parts = sealed.split(".");
  const bytes = Buffer.from(parts[part] ?? "", "base64url");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  parts[part] = bytes.toString("base64url");
  return parts.join(".");
}

test.each([
  "CGPT-BSNP-86UP",
  "",
  "पास 🎟",
  "x".repeat(5000),
])("the sealed value %s opens as it was", (plain) => {
  const sealed = cipher.seal(plain, place);
  expect(cipher.open(sealed, place)).toBe(plain);
  expect(sealed).toMatch(/^v1\.k1\.[\w-]{16}\.[\w-]{22,}$/);
  if (plain) expect(sealed).not.toContain(plain);
});

test("the same value is sealed differently each time", () => {
  expect(cipher.seal("same", place)).not.toBe(cipher.seal("same", place));
});

test.each([
  ["nonce", 2],
  ["ciphertext", 3],
])("a sealed value with a changed %s does not open", (_name, part) => {
  const sealed = cipher.seal("CGPT-BSNP-86UP", place);
  expect(() => cipher.open(flip(sealed, part), place)).toThrow("was changed or moved");
});

test("a truncated sealed value does not open", () => {
  const sealed = cipher.seal("CGPT-BSNP-86UP", place);
  expect(() => cipher.open(sealed.slice(0, -4), place)).toThrow("was changed or moved");
  expect(() => cipher.open(sealed.split(".").slice(0, 3).join("."), place)).toThrow("is not a sealed value");
  expect(() => cipher.open("CGPT-BSNP-86UP", place)).toThrow("is not a sealed value");
});

test.each([
  { ...place, table: "credentials" },
  { ...place, rowId: "row-2" },
  { ...place, column: "session_code_sealed" },
])("a sealed value that was moved to $table $rowId $column does not open", (elsewhere) => {
  expect(() => cipher.open(cipher.seal("CGPT-BSNP-86UP", place), elsewhere)).toThrow("was changed or moved");
});

test("after a rotation the new key seals, the old one still opens, and hashes stay", () => {
  const rotated = createCipher({ keys: [fresh, old], lookupKey });
  expect(rotated.open(cipher.seal("before", place), place)).toBe("before");
  expect(rotated.seal("after", place)).toMatch(/^v1\.k2\./);
  expect(rotated.lookupHash("code")).toBe(cipher.lookupHash("code"));
});

test("opening a value whose key is missing fails with the id of that key", () => {
  const sealed = createCipher({ keys: [fresh], lookupKey }).seal("CGPT-BSNP-86UP", place);
  expect(() => cipher.open(sealed, place)).toThrow(
    'is sealed with the key "k2", which is not among the keys of this shop',
  );
});

test("a cipher that follows its keys opens what a newer key has sealed, and seals with that key itself", () => {
  let vault = { keys: [old], lookupKey };
  const following = createCipher(vault, () => vault);
  const before = following.seal("before", place);
  expect(following.newestPrefix()).toBe("v1.k1.");
  vault = { keys: [fresh, old], lookupKey };
  const elsewhere = createCipher(vault).seal("CGPT-BSNP-86UP", place);
  expect(following.open(elsewhere, place)).toBe("CGPT-BSNP-86UP");
  expect(following.open(before, place)).toBe("before");
  expect(following.seal("after", place)).toMatch(/^v1\.k2\./);
  expect(following.newestPrefix()).toBe("v1.k2.");
  expect(following.lookupHash("code")).toBe(cipher.lookupHash("code"));
});

test("a sealed value does not open with another key of the same id", () => {
  const other = createCipher({ keys: [{ id: "k1", key: randomBytes(32) }], lookupKey });
  expect(() => other.open(cipher.seal("CGPT-BSNP-86UP", place), place)).toThrow("was changed or moved");
});

test("a lookup hash depends on the value, its case and the key", () => {
  const other = createCipher({ keys: [old], lookupKey: randomBytes(32) });
  expect(cipher.lookupHash("code")).toMatch(/^[0-9a-f]{64}$/);
  expect(cipher.lookupHash("Code")).not.toBe(cipher.lookupHash("code"));
  expect(other.lookupHash("code")).not.toBe(cipher.lookupHash("code"));
});
