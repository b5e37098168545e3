import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { type BrowserRequest, cookiePrefix } from "#core/accounts/authenticator.ts";

/** How long a person may take at the provider. */
const ATTEMPT_MINUTES = 10;
/** Keeps these signatures apart from everything else that is signed with the secret. */
const PURPOSE = "daypass sign-in attempt";

const attemptSchema = z.object({
  mode: z.enum(["popup", "page"]),
  returnTo: z.string(),
  attemptId: z.string(),
  /** Returned by the provider, so that an answer belongs to this browser. */
  state: z.string(),
  /** Part of the ID token, so that it belongs to this attempt. */
  nonce: z.string(),
  /** The verifier of PKCE: whoever sees the code of the answer cannot use it. */
  codeVerifier: z.string(),
  callbackUrl: z.string(),
  expiresAt: z.number(),
});

/** What the browser keeps of a sign-in until the provider answers. */
export type StoredAttempt = Omit<z.output<typeof attemptSchema>, "expiresAt">;

/**
 * The signed cookie of a sign-in that has begun. It is http-only, and a new sign-in of the same browser replaces it. Lax: the
 * answer of the provider is a navigation that begins on its site.
 */
export function createAttemptCookie({ secret, secure }: { secret: string; secure: boolean }) {
  const name = `${cookiePrefix(secure)}.google_sign_in`;
  const attributes = ["Path=/", "HttpOnly", "SameSite=Lax", ...(secure ? ["Secure"] : [])].join("; ");

  const sign = (payload: string): Buffer =>
    createHmac("sha256", secret).update(`${PURPOSE}|${payload}`).digest();

  return {
    write(attempt: StoredAttempt): string {
      const stored = { ...attempt, expiresAt: Date.now() + ATTEMPT_MINUTES * 60_000 };
      const payload = Buffer.from(JSON.stringify(stored)).toString("base64url");
      const value = `${payload}.${sign(payload).toString("base64url")}`;
      return `${name}=${value}; Max-Age=${ATTEMPT_MINUTES * 60}; ${attributes}`;
    },

    clear: (): string => `${name}=; Max-Age=0; ${attributes}`,

    /** null without the cookie, or when it was changed or has expired. */
    read({ headers }: BrowserRequest): StoredAttempt | null {
      const start = `${name}=`;
      const cookie = (headers.get("cookie") ?? "").split(/;\s*/).find((one) => one.startsWith(start));
      const [payload = "", signature = ""] = cookie?.slice(start.length).split(".") ?? [];
      const [given, expected] = [Buffer.from(signature, "base64url"), sign(payload)];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      const { expiresAt, ...attempt } = attemptSchema.parse(
        JSON.parse(Buffer.from(payload, "base64url").toString()),
      );
      return expiresAt > Date.now() ? attempt : null;
    },
  };
}
