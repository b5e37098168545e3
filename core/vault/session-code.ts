import { randomBytes } from "node:crypto";

/**
 * A new session code: the tool's name, the time in epoch milliseconds and 128 random bits in hex, joined by hyphens.
 * Only the random part keeps it from being guessed.
 */
export function makeSessionCode(toolName: string, now: Date): string {
  const name = toolName
    .trim()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return [name || "tool", now.getTime(), randomBytes(16).toString("hex")].join("-");
}
