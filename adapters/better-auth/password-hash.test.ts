import { describe, expect, test } from "vitest";
import { HASH_COST, hashPassword, isOutdated, verifyPassword } from "./password-hash.ts";

const CHEAP = { ln: 4, r: 8, p: 1 };
const password = "kettle-on";
/** Made by Better Auth's own function, which names no parameters. */
const unnamed =
  "562404a04b8b9910d677185dbb6f6afb:6e4626c42687be938a79cc150c46005c55b542558c4288b4e4b6a12978d4c07d6a3ba3ac1d8248b4a733c164fc32a80718caafba21410c0495624d5bb7d1355a";
/** Made by Python's hashlib.scrypt. */
const foreign =
  "$scrypt$ln=4,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$FgNpN8Qwos8zChBA7UTxelC7u6gC2SR+MkLXprs6O/Y1VbbI5VZb6KlrQ9xFCdC6EXXr8jY7dYNa157wFyMnVQ";

test("a new hash names the parameters that OWASP recommends for 32 MB, and has a salt of its own", async () => {
  const hashes = await Promise.all([hashPassword(password, HASH_COST), hashPassword(password, HASH_COST)]);
  for (const hash of hashes) {
    expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{86}$/);
    expect(isOutdated(hash, HASH_COST)).toBe(false);
  }
  expect(hashes[0]).not.toBe(hashes[1]);
  expect(await verifyPassword({ hash: hashes[0], password })).toBe(true);
  expect(await verifyPassword({ hash: hashes[0], password: "kettle-off" })).toBe(false);
});

test("a hash is checked with the parameters that it names, and one with other parameters is outdated", async () => {
  const hash = await hashPassword(password, CHEAP);
  expect(await verifyPassword({ hash, password })).toBe(true);
  expect(await verifyPassword({ hash: hash.replace("p=1", "p=2"), password })).toBe(false);
  expect(isOutdated(hash, HASH_COST)).toBe(true);
});

test("a hash of another scrypt is checked, so the parameters mean what they say", async () => {
  expect(await verifyPassword({ hash: foreign, password })).toBe(true);
});

test("a hash without parameters stays valid and is outdated", async () => {
  expect(await verifyPassword({ hash: unnamed, password })).toBe(true);
  expect(await verifyPassword({ hash: unnamed, password: "kettle-off" })).toBe(false);
  expect(isOutdated(unnamed, HASH_COST)).toBe(true);
});

test("the same password typed with composed or with combining letters is right", async () => {
  const hash = await hashPassword("caf\u00e9-au-lait", CHEAP);
  expect(await verifyPassword({ hash, password: "cafe\u0301-au-lait" })).toBe(true);
});

describe("a text that is no hash", () => {
  test.each([
    "$scrypt$ln=4,r=8,p=1$c2FsdA",
    "$argon2id$v=19$m=1$c2FsdA$a2V5",
    "no hash",
  ])("%s is an error and no wrong password", async (hash) => {
    await expect(verifyPassword({ hash, password })).rejects.toThrow("hash");
  });
});
