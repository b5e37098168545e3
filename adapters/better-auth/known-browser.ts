import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { BrowserRequest, KnownAccount } from "#core/accounts/authenticator.ts";

const KEPT_DAYS = 180;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A browser is known to so many accounts at most; the one whose sign-in is longest ago is forgotten first. */
const ACCOUNTS = 5;
/** Keeps these signatures apart from everything else that is signed with the secret. */
const PURPOSE = "daypass known browser";

interface Entry extends KnownAccount {
  /** Of the last sign-in, in milliseconds. */
  signedInAt: number;
}

/**
 * The cookie by which a browser is recognised that has signed in to an account before. It opens nothing: it only
 * decides which counter an attempt to sign in counts for. Each entry is signed for one account and one browser, and is
 * valid for 180 days.
 */
export function createKnownBrowserCookie({ secret, secure }: { secret: string; secure: boolean }) {
  const name = `${secure ? "__Host-daypass" : "daypass"}.known_browser`;

  const sign = ({ userId, browserId, signedInAt }: Entry): Buffer =>
    createHmac("sha256", secret).update([PURPOSE, userId, browserId, signedInAt].join("|")).digest();

  function write(entry: Entry): string {
    const { userId, browserId, signedInAt } = entry;
    return [userId, browserId, signedInAt, sign(entry).toString("base64url")].join(".");
  }

  function read(text: string): Entry[] {
    const [userId = "", browserId = "", signedInAt = "", signature = ""] = text.split(".");
    const entry = { userId, browserId, signedInAt: Number(signedInAt) };
    const [given, expected] = [Buffer.from(signature, "base64url"), sign(entry)];
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
    return isSigned && entry.signedInAt > Date.now() - KEPT_DAYS * DAY_MS ? [entry] : [];
  }

  function readAll({ headers }: BrowserRequest): Entry[] {
    const start = `${name}=`;
    const cookie = (headers.get("cookie") ?? "").split(/;\s*/).find((one) => one.startsWith(start));
    return cookie === undefined ? [] : cookie.slice(start.length).split("~").slice(0, ACCOUNTS).flatMap(read);
  }

  return {
    /** The accounts that have signed in with this browser. */
    knownAccounts: (request: BrowserRequest): KnownAccount[] => readAll(request),

    /** The Set-Cookie value that makes the browser known to one more account. It keeps the id that it has there. */
    remember(userId: string, request: BrowserRequest): string {
      const known = readAll(request);
      const browserId =
        known.find((entry) => entry.userId === userId)?.browserId ?? randomBytes(16).toString("base64url");
      const others = known.filter((entry) => entry.userId !== userId);
      const value = [{ userId, browserId, signedInAt: Date.now() }, ...others].slice(0, ACCOUNTS).map(write);
      const attributes = ["Path=/", "HttpOnly", "SameSite=Lax", ...(secure ? ["Secure"] : [])];
      const maxAge = `Max-Age=${(KEPT_DAYS * DAY_MS) / 1000}`;
      return [`${name}=${value.join("~")}`, maxAge, ...attributes].join("; ");
    },
  };
}
