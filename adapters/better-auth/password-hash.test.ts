import { createHook } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { OLD_CONFIG, OLD_PASSWORDS } from "#tests/fixtures/imported-hashes.ts";
import {
  HASH_COST,
  hashPassword,
  importedPasswordHash,
  isOutdated,
  verifyPassword,
} from "./password-hash.ts";

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

test.each([
  "$scrypt$ln=4,r=8,p=1$c2FsdA",
  "$argon2id$v=19$m=1$c2FsdA$a2V5",
  "no hash",
])("the text %s, which is no hash, is an error instead of a wrong password", async (hash) => {
  await expect(verifyPassword({ hash, password })).rejects.toThrow("hash");
});

describe("a hash of an imported account", () => {
  const { published, common, unusual, long } = OLD_PASSWORDS;
  const stored = (old: { passwordHash: string; salt: string } = published, values = {}) =>
    importedPasswordHash(old, { ...OLD_CONFIG, ...values }).passwordHash ?? "";
  const hash = stored();

  test("a hash of an imported account names its parameters, and is outdated", () => {
    const key = OLD_CONFIG.base64_signer_key;
    const parameters = `ln=14,r=8,sep=Bw==,key=${key}`;
    expect(hash).toBe(`$firebase-scrypt$${parameters}$${published.salt}$${published.passwordHash}`);
    expect(isOutdated(hash, HASH_COST)).toBe(true);
  });

  test.each(
    Object.entries(OLD_PASSWORDS),
  )("a hash of an imported account opens with the %s password only", async (_which, old) => {
    expect(await verifyPassword({ hash: stored(old), password: old.password })).toBe(true);
    for (const password of ["kettle-off", "", `${old.password} `, old.password.slice(1)])
      expect(await verifyPassword({ hash: stored(old), password })).toBe(false);
  });

  test("a hash of an imported account checks the password as it was typed: no other form of its letters and no spaces cut off", async () => {
    for (const password of [
      unusual.password.normalize("NFC"),
      unusual.password.normalize("NFKC"),
      unusual.password.trim(),
    ])
      expect(await verifyPassword({ hash: stored(unusual), password })).toBe(false);
  });

  test.each([
    { mem_cost: 13 },
    { rounds: 7 },
    { base64_salt_separator: "" },
    { base64_salt_separator: "CA==" },
    { base64_signer_key: OLD_CONFIG.base64_signer_key.replace("j", "k") },
  ])("a hash of an imported account with another parameter (%o) does not open", async (values) => {
    const password = published.password;
    expect(await verifyPassword({ hash: stored(published, values), password })).toBe(false);
  });

  test("a hash of an imported account may be exported in url-safe base64, with or without padding", async () => {
    const urlSafe = (text: string) => Buffer.from(text, "base64").toString("base64url");
    const padded = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_");
    for (const change of [urlSafe, padded]) {
      const { password, salt, passwordHash } = published;
      const old = { salt: change(salt), passwordHash: change(passwordHash) };
      const config = {
        base64_signer_key: change(OLD_CONFIG.base64_signer_key),
        base64_salt_separator: change(OLD_CONFIG.base64_salt_separator),
      };
      expect(old.passwordHash).toMatch(/[-_]/);
      expect(stored(old, config).replace("firebase-scrypt", "")).not.toMatch(/[-_]/);
      expect(await verifyPassword({ hash: stored(old, config), password })).toBe(true);
    }
  });

  test("a hash of an imported account costs a wrong password as much as the right one", async () => {
    let derived = 0;
    const hook = createHook({
      init(_id, type) {
        if (type === "SCRYPTREQUEST") derived += 1;
      },
    }).enable();
    const counts: number[] = [];
    for (const password of [published.password, "x", "", common.password, long.password]) {
      derived = 0;
      await verifyPassword({ hash, password });
      counts.push(derived);
    }
    hook.disable();
    expect(counts).toEqual([1, 1, 1, 1, 1]);
  });

  test.each([
    [{ algorithm: "STANDARD_SCRYPT" }, "hashed with STANDARD_SCRYPT"],
    [{ algorithm: "BCRYPT" }, "hashed with BCRYPT"],
    [{ mem_cost: 21, rounds: 1 }, "parameter"],
    [{ mem_cost: 1, rounds: 33 }, "parameter"],
    // 288 MB a check.
    [{ mem_cost: 18, rounds: 9 }, "parameter"],
    [{ mem_cost: 0 }, "parameter"],
    [{ mem_cost: 14.5 }, "parameter"],
    [{ rounds: Number.NaN }, "parameter"],
    [{ base64_signer_key: "" }, "parameter"],
    [{ base64_signer_key: "jxspr8Ki0RYycVU8" }, "parameter"],
    [{ base64_signer_key: `${OLD_CONFIG.base64_signer_key}$x` }, "parameter"],
    [{ base64_salt_separator: "no base64" }, "parameter"],
    [{ passwordHash: "" }, "damaged"],
    [{ passwordHash: "no base64" }, "damaged"],
    [{ passwordHash: published.passwordHash.slice(0, 40) }, "damaged"],
    [{ passwordHash: `${published.passwordHash}$x` }, "damaged"],
    [{ salt: "" }, "damaged"],
    [{ salt: "no base64" }, "damaged"],
  ])("a hash of an imported account is not made of %o, and the reason is named", async (values, reason) => {
    const made = importedPasswordHash({ ...published, ...values }, { ...OLD_CONFIG, ...values });
    expect(made).toEqual({ passwordHash: null, reason: expect.stringContaining(reason) });
  });

  test.each([
    ["names a very large N", hash.replace("ln=14,r=8", "ln=21,r=1")],
    ["names a very large r", hash.replace("r=8", "r=33")],
    ["needs more than 256 MB", hash.replace("ln=14,r=8", "ln=18,r=9")],
    ["names no N", hash.replace("ln=14", "ln=0")],
    ["names no separator", hash.replace("sep=Bw==,", "")],
    ["has an empty signer key", hash.replace(/key=[^$]*/, "key=")],
    ["is cut off", hash.slice(0, -40)],
    ["has lost its last part", hash.slice(0, hash.lastIndexOf("$"))],
    ["has one part more", `${hash}$more`],
    ["is not in base64", `${hash.slice(0, -88)}not base64`],
  ])("a hash of an imported account that %s is an error instead of a wrong password", async (_damage, broken) => {
    const { password } = published;
    await expect(verifyPassword({ hash: broken, password })).rejects.toThrow("unknown format");
  });
});
