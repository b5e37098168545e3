import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { verifyPassword as verifyUnnamed } from "better-auth/crypto";
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
  const key = await deriveKey(password, salt, cost, KEY_BYTES);
  return `$scrypt$${name(cost)}$${unpadded(salt)}$${unpadded(key)}`;
}

/**
 * Checks a password with the parameters that the hash names. A hash that names none is one of Better Auth, whose parameters
 * (N = 2^14, r = 16, p = 1) are in its code.
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
  const [, ln, r, p, salt, key] = FORMAT.exec(hash) ?? [];
  if (salt === undefined || key === undefined)
    throw new Error("a stored password hash has an unknown format");
  const expected = Buffer.from(key, "base64");
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const derived = await deriveKey(password, Buffer.from(salt, "base64"), cost, expected.length);
  return timingSafeEqual(derived, expected);
}

/** Whether a hash was made with other parameters than `cost`. */
export function isOutdated(hash: string, cost: HashCost): boolean {
  return !hash.startsWith(`$scrypt$${name(cost)}$`);
}

const name = ({ ln, r, p }: HashCost) => `ln=${ln},r=${r},p=${p}`;

const unpadded = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");

/** `maxmem` is twice what the parameters need: Node refuses more than 32 MB otherwise. */
function deriveKey(password: string, salt: Buffer, { ln, r, p }: HashCost, bytes: number): Promise<Buffer> {
  const N = 2 ** ln;
  const options: ScryptOptions = { N, r, p, maxmem: 2 * 128 * r * (N + p) };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, bytes, options, (error, key) => {
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
 * Runs a few password hashes at a time. Those that wait run in rotation of the clients. A refused hash is never started.
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
