import type { ActionFunctionArgs, LoaderFunctionArgs } from "react-router";
import type { SignedInUser } from "#core/accounts/attempt-sign-in.server.ts";
import { checkGoogleSignIn } from "#core/accounts/google-sign-in.server.ts";
import { GOOGLE_START_PATH } from "#core/accounts/identity-provider.ts";
import { readProfile } from "#core/accounts/profile.server.ts";
import { requestPasswordReset, resetPassword } from "#core/accounts/reset-password.server.ts";
import { signOut } from "#core/accounts/sessions.server.ts";
import { signInWithEmail, signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import type { Context } from "#core/context.ts";
import { DomainError, isDomainError } from "#core/errors.ts";
import { retryHeaders, toErrorCode, toErrorMessage } from "../../errors/error-messages.ts";
import { readJson } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";
import { resetAnswer } from "../forms/auth-form-result.ts";
import { cookieHeaders, signedOutHeaders } from "./form-response.server.ts";

interface EndpointResult {
  body: unknown;
  setCookies?: string[];
}

type Endpoint = (ctx: Context, input: unknown) => Promise<EndpointResult>;

/** All endpoints under /api/auth. The session is sent in cookies only, never in a response's body. */
const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "GET get-session": async (ctx) => ({ body: await readSession(ctx) }),
  "POST sign-in/email": async (ctx, input) => toSignedInResult(await signInWithEmail(ctx, input)),
  "POST sign-up/email": async (ctx, input) => toSignedInResult(await signUpWithEmail(ctx, input)),
  "POST sign-in/social": async (ctx) => {
    checkGoogleSignIn(ctx);
    return { body: { url: `${ctx.store.origin}${GOOGLE_START_PATH}`, redirect: true } };
  },
  "POST sign-out": async (ctx) => ({ body: { success: true }, ...(await signOut(ctx)) }),
  "POST request-password-reset": async (ctx, input) => {
    return { body: { success: true, ...resetAnswer(await requestPasswordReset(ctx, input)) } };
  },
  "POST reset-password": async (ctx, input) => {
    await resetPassword(ctx, input);
    return { body: { success: true } };
  },
};

export function loader({ request, params, context }: LoaderFunctionArgs) {
  return respond(context.get(shopContext), request, params["*"] ?? "");
}

export function action({ request, params, context }: ActionFunctionArgs) {
  return respond(context.get(shopContext), request, params["*"] ?? "");
}

async function respond(ctx: Context, request: Request, path: string): Promise<Response> {
  try {
    const name = `${request.method} ${path}`;
    const endpoint = Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name] : undefined;
    if (endpoint === undefined) throw new DomainError("not-found");
    const input = request.method === "POST" ? await readJson(request) : undefined;
    const { body, setCookies = [] } = await endpoint(ctx, input);
    const headers = path === "sign-out" ? signedOutHeaders(setCookies) : cookieHeaders(setCookies);
    return Response.json(body, { headers });
  } catch (error) {
    return toErrorResponse(ctx, error);
  }
}

function toErrorResponse(ctx: Context, error: unknown): Response {
  const headers = cookieHeaders();
  for (const [name, value] of Object.entries(retryHeaders(error))) headers.set(name, value);
  const { status, message, fields } = toErrorMessage(error);
  if (!isDomainError(error)) ctx.log.error({ err: error }, "an account endpoint failed");
  const code = toErrorCode(error, "internal-error");
  return Response.json({ code, message, ...(fields && { fields }) }, { status, headers });
}

function toSignedInResult({ user, setCookies }: SignedInUser): EndpointResult {
  const { id, email, displayName } = user;
  return { body: { user: { id, email, displayName } }, setCookies };
}

async function readSession(ctx: Context) {
  if (ctx.actor.kind === "visitor") return null;
  const { id, email, displayName, role } = await readProfile(ctx);
  return { user: { id, email, name: displayName, role } };
}
