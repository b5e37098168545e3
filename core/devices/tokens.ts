import { createHash, randomBytes } from "node:crypto";

/** A new ticket or device token: 256 random bits. */
export function makeToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What the database stores of a ticket or token. Its bits are random, so a plain hash cannot be guessed back. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}
