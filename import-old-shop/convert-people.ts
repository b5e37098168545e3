import { z } from "zod";
import { NAME_MAXIMUM } from "#core/accounts/rules.ts";
import { emailAddress } from "#core/accounts/schemas.ts";
import { isWebAddress, toOneLine } from "#core/catalog/limits.ts";
import { type Conversion, FieldReader, fitText } from "./field-reader.ts";
import type { OldDocument } from "./source.ts";

/** What a document says about a person. null: it does not say. */
export interface PersonFacts {
  email: string | null;
  name: string | null;
  image: string | null;
  createdAt: Date | null;
  lastLogin: Date | null;
  isActive: boolean | null;
  isGoogle: boolean;
}

/** An account of the hosted sign-in service. */
export interface AccountFacts extends PersonFacts {
  emailVerified: boolean;
  /** Both in base64; null: the account has no password. */
  password: { passwordHash: string; salt: string } | null;
  /** The id of the person at Google. */
  googleSubject: string | null;
}

/** The address as it is stored. null: not a valid address. */
function convertEmail(reader: FieldReader): string | null {
  const typed = reader.text("email", "emailAddress", "mail", "userEmail");
  if (typed === null) return null;
  const email = emailAddress.safeParse(typed).data;
  if (email === undefined) {
    reader.repairs.push("its e-mail address is not valid and was left out");
    return null;
  }
  if (email !== typed) reader.repairs.push(`its e-mail address is ${email}`);
  return email;
}

function convertFacts(reader: FieldReader): PersonFacts {
  const name = reader.text("displayName", "name", "fullName");
  const image = reader.text("photoURL", "photoUrl", "image");
  const isAddress = image === null || (image.length <= 2000 && isWebAddress(image));
  if (!isAddress) reader.repairs.push("the address of the picture is not valid and was left out");
  const isDisabled = reader.boolean("disabled");
  const isActive = reader.boolean("isActive", "active");
  const provider = reader.text("provider", "providerId") ?? "";
  const listed = reader.raw("purchasedTools")?.value;
  if (Array.isArray(listed) ? listed.length > 0 : listed !== undefined)
    reader.check("it lists purchasedTools, which give no pass: only documents of purchases do");
  return {
    email: convertEmail(reader),
    name: name === null ? null : fitText(reader, "displayName", toOneLine(name), NAME_MAXIMUM),
    image: isAddress ? image : null,
    createdAt: reader.moment("signupDate", "createdAt", "creationTime")?.value ?? null,
    lastLogin: reader.moment("lastLogin", "lastSignedInAt", "lastLoginAt", "lastSignInTime")?.value ?? null,
    isActive: isDisabled === true ? false : isActive,
    isGoogle: /google/i.test(provider),
  };
}

/** A profile, or a user document. */
export function convertProfile(
  document: OldDocument,
  timeZone: string,
): Extract<Conversion<PersonFacts>, { row: unknown }> {
  const reader = new FieldReader(document, timeZone);
  return { row: convertFacts(reader), repairs: reader.repairs };
}

/** `rawId` in an export of the command line, `uid` in one of the Admin SDK. */
const providers = z.array(
  z.looseObject({
    providerId: z.string(),
    rawId: z.string().optional(),
    uid: z.string().optional(),
    email: z.string().nullish(),
  }),
);
const mapOf = (value: unknown) => z.record(z.string(), z.unknown()).safeParse(value).data ?? {};

export function convertAccount(
  document: OldDocument,
  timeZone: string,
): Extract<Conversion<AccountFacts>, { row: unknown }> {
  const { fields } = document;
  const listed = providers.safeParse(fields.providerUserInfo ?? fields.providerData).data ?? [];
  // The Admin SDK has the times in a map of their own, and some addresses only at the provider.
  const email = listed.find((one) => one.email)?.email;
  const reader = new FieldReader(
    { ...document, fields: { ...fields, ...mapOf(fields.metadata), email: fields.email || email } },
    timeZone,
  );
  const facts = convertFacts(reader);
  const google = listed.find(({ providerId, rawId, uid }) => providerId === "google.com" && (rawId ?? uid));
  const passwordHash = reader.exactText("passwordHash");
  const salt = reader.exactText("salt", "passwordSalt");
  if (passwordHash !== null && salt === null)
    reader.repairs.push("its password has no salt, so it has to be set anew by a reset mail");
  return {
    row: {
      ...facts,
      isGoogle: facts.isGoogle || google !== undefined,
      emailVerified: reader.boolean("emailVerified") ?? false,
      password: passwordHash !== null && salt !== null ? { passwordHash, salt } : null,
      googleSubject: google?.rawId ?? google?.uid ?? null,
    },
    repairs: reader.repairs,
  };
}

/** Without what a password can be checked with: that is kept in the account only. */
export function withoutPassword({ fields }: OldDocument): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name]) => !/^(?:password(?:hash|salt)?|salt)$/i.test(name.replace(/[^a-z]/gi, "")),
    ),
  );
}

/** One person of the old shop, whose documents have the same uid or the same e-mail address. */
export interface OldPerson extends Omit<AccountFacts, "email"> {
  email: string;
  uids: string[];
}

/**
 * Joins what the documents of a person say. The account counts first, then the profile, then the user document; but whoever is
 * disabled in one of them is disabled.
 */
export function joinFacts(
  email: string,
  uid: string,
  facts: readonly (AccountFacts | PersonFacts)[],
): OldPerson {
  const first = <Value>(pick: (fact: AccountFacts | PersonFacts) => Value | null): Value | null => {
    for (const fact of facts) {
      const value = pick(fact);
      if (value !== null && value !== "") return value;
    }
    return null;
  };
  const account = facts.find((fact): fact is AccountFacts => "googleSubject" in fact);
  return {
    email,
    uids: [uid],
    name: first(({ name }) => name),
    image: first(({ image }) => image),
    createdAt: earliest(facts.map(({ createdAt }) => createdAt)),
    lastLogin: latest(facts.map(({ lastLogin }) => lastLogin)),
    isActive: !facts.some(({ isActive }) => isActive === false),
    isGoogle: facts.some(({ isGoogle }) => isGoogle),
    emailVerified: account?.emailVerified ?? false,
    password: account?.password ?? null,
    googleSubject: account?.googleSubject ?? null,
  };
}

/**
 * The same address under another uid. The ways to sign in come from the account whose address was verified: a stranger may have
 * made the other one.
 */
export function joinPersons(one: OldPerson, other: OldPerson): OldPerson {
  const trusted = one.emailVerified === other.emailVerified ? null : one.emailVerified ? one : other;
  return {
    ...one,
    uids: [...one.uids, ...other.uids],
    name: one.name ?? other.name,
    image: one.image ?? other.image,
    createdAt: earliest([one.createdAt, other.createdAt]),
    lastLogin: latest([one.lastLogin, other.lastLogin]),
    isActive: one.isActive === true && other.isActive === true,
    isGoogle: one.isGoogle || other.isGoogle,
    emailVerified: one.emailVerified || other.emailVerified,
    password: trusted === null ? (one.password ?? other.password) : trusted.password,
    googleSubject: trusted === null ? (one.googleSubject ?? other.googleSubject) : trusted.googleSubject,
  };
}

const times = (dates: readonly (Date | null)[]) => dates.flatMap((date) => date?.getTime() ?? []);
const earliest = (dates: readonly (Date | null)[]) =>
  times(dates).length === 0 ? null : new Date(Math.min(...times(dates)));
const latest = (dates: readonly (Date | null)[]) =>
  times(dates).length === 0 ? null : new Date(Math.max(...times(dates)));
