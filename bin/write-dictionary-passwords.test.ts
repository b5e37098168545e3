import { readFile } from "node:fs/promises";
import { dictionary } from "@zxcvbn-ts/language-common";
import { expect, test } from "vitest";
import { findPasswordProblem } from "#core/accounts/password-rules.ts";
import { dictionaryPasswordsSource } from "./write-dictionary-passwords.ts";

const owner = { email: "", shopName: "" };

test("the file of common passwords is what the installed dictionary generates", async () => {
  const file = new URL("../core/accounts/dictionary-passwords.server.ts", import.meta.url);
  expect(await readFile(file, "utf8")).toBe(dictionaryPasswordsSource());
});

test("the file of common passwords refuses the 3,000 commonest of at least six characters, in upper and lower case", () => {
  const commonest = dictionary["passwords-common"].filter(({ length }) => length >= 6).slice(0, 3_000);
  expect(commonest).toHaveLength(3_000);
  for (const password of [...commonest, ...commonest.map((one) => one.toUpperCase())])
    expect(findPasswordProblem(password, { ...owner, role: "user" }), password).toEqual({
      code: "common-password",
    });
});

test("the file of common passwords refuses admins every common password that is long enough for an admin", () => {
  const long = dictionary["passwords-common"].filter(({ length }) => length >= 12);
  expect(long.length).toBeGreaterThan(100);
  for (const password of long)
    expect(findPasswordProblem(password, { ...owner, role: "admin" }), password).toEqual({
      code: "common-password",
    });
});
