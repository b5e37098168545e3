import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { ClientAddresses } from "../http/client-address.ts";

/**
 * The header of a signed question. With it a health check recognises its own shop behind an address: the question is signed
 * with a key derived from the authentication secret, and the shop signs its answer, which says how the request has reached it.
 * A request without a valid signature gets the answer that /healthz gives to everybody.
 */
export const QUESTION_HEADER = "x-daypass-doctor";

/** How a request has reached the shop. */
const wayOfRequest = z.object({
  /** The address of the connection, which is the proxy's if there is one. */
  connection: z.string(),
  /** The address of the client, as the shop sees it. */
  client: z.string(),
  /** Whether the request has the header X-Forwarded-For. */
  isForwarded: z.boolean(),
  /** Whether the connection comes from one of TRUSTED_PROXIES. */
  isTrusted: z.boolean(),
});
export type WayOfRequest = z.output<typeof wayOfRequest>;

const answerSchema = z.object({ ok: z.literal(true), way: wayOfRequest, signature: z.string() });

/** The key of signed questions, 32 bytes. */
export function healthKey(authSecret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", authSecret, "", "daypass health questions v1", 32));
}

/** Makes a new question: the value of the header, and a function that reads the answer to it. */
export function askSigned(key: Buffer): {
  header: string;
  /** @returns null: the body is not the answer of a shop with this key to this question */
  readAnswer(body: string): WayOfRequest | null;
} {
  const nonce = randomBytes(16).toString("hex");
  return {
    header: `${nonce}.${sign(key, "question", nonce)}`,
    readAnswer(body) {
      const parsed = answerSchema.safeParse(parseJson(body));
      if (!parsed.success) return null;
      const { way, signature } = parsed.data;
      return isSame(signature, signWay(key, nonce, way)) ? way : null;
    },
  };
}

/** @returns a function that returns the JSON body of the answer to a signed question; null: the request has none that is valid */
export function createAnswer(
  key: Buffer,
  addresses: ClientAddresses,
): (incoming: IncomingMessage) => string | null {
  return ({ headers, socket }) => {
    const header = headers[QUESTION_HEADER];
    const [, nonce = "", signature = ""] =
      /^([0-9a-f]{32})\.([0-9a-f]{64})$/.exec(typeof header === "string" ? header : "") ?? [];
    if (nonce === "" || !isSame(signature, sign(key, "question", nonce))) return null;
    const forwarded = headers["x-forwarded-for"];
    const forwardedFor = Array.isArray(forwarded) ? forwarded.join() : forwarded;
    const way: WayOfRequest = {
      connection: addresses.addressOf(socket.remoteAddress, undefined),
      client: addresses.addressOf(socket.remoteAddress, forwardedFor),
      isForwarded: forwardedFor !== undefined,
      isTrusted: addresses.isTrustedProxy(socket.remoteAddress),
    };
    return JSON.stringify({ ok: true, way, signature: signWay(key, nonce, way) });
  };
}

const signWay = (key: Buffer, nonce: string, { connection, client, isForwarded, isTrusted }: WayOfRequest) =>
  sign(key, "answer", JSON.stringify([nonce, connection, client, isForwarded, isTrusted]));

const sign = (key: Buffer, purpose: "question" | "answer", text: string) =>
  createHmac("sha256", key).update(`${purpose} ${text}`).digest("hex");

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
