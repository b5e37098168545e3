import { DICTIONARY_PASSWORDS } from "./dictionary-passwords.server.ts";
import { ADMIN_PASSWORD_MINIMUM, PASSWORD_MAXIMUM, PASSWORD_MINIMUM } from "./rules.ts";

/** Common passwords that the dictionary lacks: some common in India, some suggested by sites and keyboards. */
const MORE_PASSWORDS = `
  00000000 1111111 121212 123123123 12341234 123456abc 222222 232323 252525 333333 444444 456789 555555 654321
  7654321 777777 87654321 888888 88888888 987654 987654321 9876543210 999999 99999999 aa123456 aaaaaa aaaaaaaa
  abc1234 abc123456 abcabc abcd123 abcdef abcdefg abcdefgh admin1 admin123 admin1234 bajrang bharat default
  ganesh guest1 hanuman hello1234 hellohello iloveyou1 iloveyou2 india1 india123 jaimatadi jaishreeram login1
  myspace1 omsairam pass@123 passw0rd1 password! password1! password12 password@1 password@123 p@ssw0rd
  p@ssword qwerty1234 qweasd123 radhakrishna sairam secret123 shivam superman1 target123 testing1 test1234
  test12345 tinkle user123 user1234 welcome123 welcome@123 xxxxxx zaq1zaq1 zxczxc
`;

/** The passwords that attackers try first, with at least six characters, in lower case. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `${DICTIONARY_PASSWORDS} ${MORE_PASSWORDS}`.trim().split(/\s+/),
);

export type PasswordProblem =
  | { code: "weak-password"; minimum: number }
  | { code: "common-password" }
  | { code: "guessable-password" }
  | { code: "long-password"; maximum: number };

/** What a password is for. */
export interface PasswordOwner {
  role: "user" | "admin";
  email: string;
  shopName: string;
}

/** The problem of a new password for an account; undefined when it may be set. */
export function findPasswordProblem(
  password: string,
  { role, email, shopName }: PasswordOwner,
): PasswordProblem | undefined {
  const minimum = role === "admin" ? ADMIN_PASSWORD_MINIMUM : PASSWORD_MINIMUM;
  if (password.length < minimum) return { code: "weak-password", minimum };
  if (password.length > PASSWORD_MAXIMUM) return { code: "long-password", maximum: PASSWORD_MAXIMUM };
  if (COMMON_PASSWORDS.has(password.toLowerCase())) return { code: "common-password" };
  // Whoever guesses at this account tries these first.
  const [mailbox = ""] = email.split("@");
  const known = [email, mailbox, shopName].map(lettersAndDigits);
  if (known.includes(lettersAndDigits(password))) return { code: "guessable-password" };
  return role === "admin" ? findProblemOfAdmin(password, known) : undefined;
}

/** An admin's password opens everything, so a common or known word with digits added is none, nor is one character repeated. */
function findProblemOfAdmin(password: string, known: readonly string[]): PasswordProblem | undefined {
  if (new Set(password).size === 1 || startsWithCommonDigits(password)) return { code: "common-password" };
  const word = withoutDigitsAround(password.toLowerCase());
  if (word === "") return undefined;
  const letters = withoutDigitsAround(lettersAndDigits(password));
  if (known.map(withoutDigitsAround).includes(letters)) return { code: "guessable-password" };
  COMMON_WORDS ??= new Set([...COMMON_PASSWORDS].map(withoutDigitsAround));
  return COMMON_WORDS.has(word) || COMMON_WORDS.has(letters) ? { code: "common-password" } : undefined;
}

/** The common passwords without digits and signs before and after; made when it is first needed. */
let COMMON_WORDS: ReadonlySet<string> | undefined;

const withoutDigitsAround = (text: string): string => text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");

/** "123456" and more digits after it. */
function startsWithCommonDigits(password: string): boolean {
  const digits = password.replace(/\P{N}/gu, "");
  const isDigits = !/\p{L}/u.test(password);
  return (
    isDigits &&
    Array.from(digits, (_, at) => digits.slice(0, at + 1)).some((start) => COMMON_PASSWORDS.has(start))
  );
}

/** "Asha's Shop" and "ashas-shop" are the same guess. A password without letters and digits is compared as it is. */
function lettersAndDigits(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, "") || text;
}
