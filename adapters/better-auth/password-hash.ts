import { createCipheriv, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { verifyPassword as verifyUnnamed } from "better-auth/crypto";
import type { ImportedHash, ImportedHashConfig } from "#core/accounts/authenticator.ts";
import { FairQueue } from "#core/concurrency.ts";
import { DomainError } from "#core/errors.ts";

/** The parameters of scrypt: N is 2 to the power `ln`. A hash takes 128 · N · r bytes of memory. */
export interface HashCost {
  ln: number;
  r: number;
  p: number;
}

/** What OWASP recommends for 32 MB a hash. */
export const HASH_COST: HashCost = { ln: 15, r: 8, p: 3 };

const KEY_BYTES = 64;
const SALT_BYTES = 16;
const FORMAT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;

/** `$scrypt$ln=15,r=8,p=3$salt$key`, with salt and key in base64 without padding: the PHC string format. */
export async function hashPassword(password: string, cost: HashCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await deriveKey(normalise(password), salt, cost, KEY_BYTES);
  return `$scrypt$${name(cost)}$${unpadded(salt)}$${unpadded(key)}`;
}

/**
 * Checks a password with the parameters that the hash names. A hash that names none is one of Better Auth, whose parameters
 * (N = 2^14, r = 16, p = 1) are in its code. A hash of an imported account is checked by Firebase's modified scrypt.
 *
 * @throws Error for a text that is no hash
 */
export async function verifyPassword({
  hash,
  password,
}: {
  hash: string;
  password: string;
}): Promise<boolean> {
  if (!hash.startsWith("$")) return verifyUnnamed({ hash, password });
  const imported = parseImported(hash);
  if (imported !== null) return verifyImported(imported, password);
  const [, ln, r, p, salt, key] = FORMAT.exec(hash) ?? [];
  if (salt === undefined || key === undefined)
    throw new Error("a stored password hash has an unknown format");
  const expected = Buffer.from(key, "base64");
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const derived = await deriveKey(normalise(password), Buffer.from(salt, "base64"), cost, expected.length);
  return timingSafeEqual(derived, expected);
}

/** Whether a hash was made with other parameters than `cost`. */
export function isOutdated(hash: string, cost: HashCost): boolean {
  return !hash.startsWith(`$scrypt$${name(cost)}$`);
}

const name = ({ ln, r, p }: HashCost) => `ln=${ln},r=${r},p=${p}`;

const unpadded = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");

/** The same password has one form, whichever keyboard it was typed on. */
const normalise = (password: string) => password.normalize("NFKC");

const IMPORTED_PREFIX = "$firebase-scrypt$";
const IMPORTED_PARAMETERS =
  /^ln=([1-9]\d?),r=([1-9]\d?),sep=([A-Za-z\d+/]*={0,2}),key=([A-Za-z\d+/]+={0,2})$/;
const BASE64 = /^[A-Za-z\d+/]+={0,2}$/;
/** The service itself allows 14 and 8. Each check of a password needs the memory. */
const IMPORTED_MAXIMUM = { ln: 20, r: 32, bytes: 256 * 1024 * 1024 };
/** A shorter one could be guessed, and an empty one would be equal for every password. */
const SIGNER_KEY_MINIMUM = 32;

interface ImportedParameters {
  cost: HashCost;
  separator: Buffer;
  signerKey: Buffer;
}

/**
 * The text in which the hash of an imported account is stored until its first sign-in:
 * `$firebase-scrypt$ln=14,r=8,sep=…,key=…$salt$hash`, in base64. An export may be in url-safe base64. What is accepted can
 * be checked later.
 */
export function importedPasswordHash(
  { passwordHash, salt }: { passwordHash: string; salt: string },
  config: ImportedHashConfig,
): ImportedHash {
  const refuse = (reason: string) => ({ passwordHash: null, reason });
  if (config.algorithm !== "SCRYPT")
    return refuse(`the passwords are hashed with ${config.algorithm}, which is not supported`);
  const separator = standardBase64(config.base64_salt_separator);
  const key = standardBase64(config.base64_signer_key);
  const parameters = `ln=${config.mem_cost},r=${config.rounds},sep=${separator},key=${key}`;
  if (parseImportedParameters(parameters) === null)
    return refuse("a parameter of the password hashes is missing, damaged or too large");
  const text = `${IMPORTED_PREFIX}${parameters}$${standardBase64(salt)}$${standardBase64(passwordHash)}`;
  return parseImported(text) === null
    ? refuse("the password hash or its salt is missing or damaged")
    : { passwordHash: text };
}

const standardBase64 = (text: string) => text.replaceAll("-", "+").replaceAll("_", "/");

function parseImportedParameters(text: string): ImportedParameters | null {
  const [, ln, r, separator, key] = IMPORTED_PARAMETERS.exec(text) ?? [];
  if (separator === undefined || key === undefined) return null;
  const cost = { ln: Number(ln), r: Number(r), p: 1 };
  const signerKey = Buffer.from(key, "base64");
  const isTooLarge =
    cost.ln > IMPORTED_MAXIMUM.ln ||
    cost.r > IMPORTED_MAXIMUM.r ||
    128 * 2 ** cost.ln * cost.r > IMPORTED_MAXIMUM.bytes;
  if (isTooLarge || signerKey.length < SIGNER_KEY_MINIMUM) return null;
  return { cost, separator: Buffer.from(separator, "base64"), signerKey };
}

/** null for any other format. The hash is the encrypted signer key, so both have the same length. */
function parseImported(text: string): (ImportedParameters & { salt: Buffer; expected: Buffer }) | null {
  if (!text.startsWith(IMPORTED_PREFIX)) return null;
  const [parameters = "", salt = "", hash = "", ...more] = text.slice(IMPORTED_PREFIX.length).split("$");
  const parsed = parseImportedParameters(parameters);
  if (parsed === null || more.length > 0 || !BASE64.test(salt) || !BASE64.test(hash)) return null;
  const expected = Buffer.from(hash, "base64");
  if (expected.length !== parsed.signerKey.length) return null;
  return { ...parsed, salt: Buffer.from(salt, "base64"), expected };
}

/**
 * Firebase's modified scrypt: scrypt makes the key with which AES-256-CTR encrypts the signer key. The password is checked as
 * it was typed, because the service hashed it so: a normalised one would be wrong where the two differ.
 */
async function verifyImported(
  { cost, separator, signerKey, salt, expected }: NonNullable<ReturnType<typeof parseImported>>,
  password: string,
): Promise<boolean> {
  const derived = await deriveKey(password, Buffer.concat([salt, separator]), cost, 32);
  const cipher = createCipheriv("aes-256-ctr", derived, Buffer.alloc(16));
  return timingSafeEqual(Buffer.concat([cipher.update(signerKey), cipher.final()]), expected);
}

/** `maxmem` is twice what the parameters need: Node refuses more than 32 MB otherwise. */
function deriveKey(password: string, salt: Buffer, { ln, r, p }: HashCost, bytes: number): Promise<Buffer> {
  const N = 2 ** ln;
  const options: ScryptOptions = { N, r, p, maxmem: 2 * 128 * r * (N + p) };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, bytes, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

export interface HashQueueLimits {
  /** Hashes at the same time in this process. */
  running: number;
  /** Requests that may wait for a hash; further ones are refused. */
  waiting: number;
  /** How long a request may wait. */
  waitMs: number;
}

/**
 * Each hash uses one of the four threads of libuv for about a quarter of a second. Two hashes leave two threads for the
 * compression of answers and the lookup of host names.
 */
export const HASH_LIMITS: HashQueueLimits = { running: 2, waiting: 50, waitMs: 5_000 };

const RETRY_AFTER_SECONDS = 5;

/**
 * Runs a few password hashes at a time. Waiting hashes run in rotation of the clients. A refused hash is never started.
 *
 * @param clientOf the client that the running code works for
 * @returns a function that runs one hash; @throws DomainError 'sign-in-busy' when too many wait or the wait is too long.
 *   `isFree`: whether a hash would start at once
 */
export function createHashQueue(
  { running, waiting, waitMs }: HashQueueLimits,
  clientOf: () => string = () => "",
) {
  const queue = new FairQueue(running, waiting);
  const run = async <Result>(hash: () => Promise<Result>): Promise<Result> => {
    const release = await queue.enter(clientOf(), AbortSignal.timeout(waitMs));
    if (release === null) throw busy();
    try {
      return await hash();
    } finally {
      release();
    }
  };
  return Object.assign(run, { isFree: () => queue.isFree });
}

export type HashQueue = ReturnType<typeof createHashQueue>;

const busy = () => new DomainError("sign-in-busy", { retryAfterSeconds: RETRY_AFTER_SECONDS });
