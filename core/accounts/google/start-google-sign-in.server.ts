import { z } from "zod";
import { requireBrowser } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { DomainError } from "../../errors.ts";
import { parseInput } from "../../parse.ts";
import { CALLBACK_PATH } from "./google-paths.ts";
import type { IdentityProvider } from "./identity-provider.ts";

const LONGEST_PATH = 1000;

/**
 * A path of the shop, with what no header can hold percent-encoded. An address of another site, such as `//evil.example`,
 * becomes the home page.
 */
const shopPath = z
  .string()
  .max(LONGEST_PATH)
  .regex(/^\/(?![/\\])[^\\\s\p{Cc}\p{Cs}]*$/u)
  .transform((path) => path.replaceAll(/[^!-~]+/gu, encodeURIComponent))
  // Longer ones do not fit in the cookie of the attempt.
  .pipe(z.string().max(LONGEST_PATH))
  .catch("/");

const startInput = z.object({
  mode: z.enum(["popup", "page"]).catch("page"),
  returnTo: shopPath,
  attemptId: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .catch(""),
});

/**
 * Starts a sign-in with Google: the browser goes to `url` with the cookies.
 *
 * @param input `mode`, `returnTo` and `attemptId` of the attempt; anything invalid is replaced by a harmless value
 * @param origin where the browser has opened the shop
 * @throws DomainError 'sign-in-method-disabled' when no provider is configured, 'forbidden' without a browser; Error when the
 *   provider cannot be reached
 */
export async function startGoogleSignIn(
  ctx: Context,
  input: unknown,
  origin: string,
): Promise<{ url: string; setCookies: string[] }> {
  requireBrowser(ctx);
  const provider = requireIdentityProvider(ctx);
  const attempt = parseInput(startInput, input);
  const { url, setCookie } = await provider.start(attempt, `${origin}${CALLBACK_PATH}`);
  return { url, setCookies: [setCookie] };
}

/** Whether a person can sign in with Google. @throws DomainError 'sign-in-method-disabled', 'forbidden' without a browser */
export function checkGoogleSignIn(ctx: Context): void {
  requireBrowser(ctx);
  requireIdentityProvider(ctx);
}

/** @throws DomainError 'sign-in-method-disabled' */
export function requireIdentityProvider(ctx: Context): IdentityProvider {
  if (ctx.ports.identityProvider === null) throw new DomainError("sign-in-method-disabled");
  return ctx.ports.identityProvider;
}
