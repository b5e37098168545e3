import { writeFile } from "node:fs/promises";
import { dictionary } from "@zxcvbn-ts/language-common";
import { ADMIN_PASSWORD_MINIMUM, PASSWORD_MINIMUM } from "#core/accounts/rules.ts";
import { isMain } from "./run-command.ts";

const FILE = new URL("../core/accounts/dictionary-passwords.server.ts", import.meta.url);

/** The number of commonest passwords that must be refused (OWASP ASVS 5.0, 6.2.4). */
const COMMONEST = 3_000;
const LINE_WIDTH = 108;

/**
 * Generates the source of core/accounts/dictionary-passwords.server.ts: the 3,000 commonest passwords that are long enough
 * for a buyer, and all others that are long enough for an admin. The commonest come first.
 */
export function dictionaryPasswordsSource(): string {
  const all = dictionary["passwords-common"].filter((password) => password.length >= PASSWORD_MINIMUM);
  const forAdmins = all.slice(COMMONEST).filter((password) => password.length >= ADMIN_PASSWORD_MINIMUM);
  const passwords = [...all.slice(0, COMMONEST), ...forAdmins];
  const unwritable = passwords.find((password) => /[`\\\s]|\$\{/.test(password));
  if (unwritable !== undefined) throw new Error(`"${unwritable}" needs escaping in the file's template`);
  return [
    "// Written by bin/write-dictionary-passwords.ts from the password list of @zxcvbn-ts/language-common. The list has",
    "// these notices: Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.; Copyright (c) 2021 @zxcvbn-ts; MIT license.",
    "",
    "/** Common passwords of the whole world, in lower case, separated by white space. */",
    "export const DICTIONARY_PASSWORDS = `",
    ...wrap(passwords),
    "`;",
    "",
  ].join("\n");
}

function wrap(words: readonly string[]): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    if (line !== "" && line.length + 1 + word.length > LINE_WIDTH) {
      lines.push(`  ${line}`);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, `  ${line}`];
}

if (isMain(import.meta.url)) await writeFile(FILE, dictionaryPasswordsSource());
