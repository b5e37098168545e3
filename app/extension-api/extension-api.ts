import type {
  CodeResponse,
  ConnectResponse,
  ExtensionSession,
  ExtensionStatus,
  RedeemResponse,
  Refusal,
} from "#contracts/extension-api.ts";
import { EXTENSION_VERSION } from "#contracts/extension-version.ts";
import type { Context } from "#core/context.ts";
import { connectDevice } from "#core/devices/connect-device.server.ts";
import {
  type DeviceSession,
  readDeviceStatus,
  redeemAccessCode,
  revealSessionCode,
} from "#core/devices/device-sessions.server.ts";
import { isDomainError } from "#core/errors.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { hasNoEnd } from "#core/time.ts";
import { messageForCode, retryHeaders, toErrorCode, toErrorMessage } from "../errors/error-messages.ts";
import { readJson } from "../request/read-body.ts";
import { pagePath } from "../tools/page-path.ts";

interface Endpoint {
  method: "GET" | "POST";
  respond(ctx: Context, request: Request): Promise<object>;
}

/** The endpoints under `/extension`, with the JSON of contracts/extension-api.ts. */
const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  "/extension/devices": {
    method: "POST",
    respond: async (ctx, request): Promise<ConnectResponse> => connectDevice(ctx, await readObject(request)),
  },
  "/extension/redeem": {
    method: "POST",
    respond: async (ctx, request): Promise<RedeemResponse> => {
      const session = await redeemAccessCode(ctx, deviceTokenOf(request), await readObject(request));
      return { session: sessionJson(ctx, session) };
    },
  },
  "/extension/code": {
    method: "POST",
    respond: async (ctx, request): Promise<CodeResponse> => {
      const { simpleCode } = await revealSessionCode(ctx, deviceTokenOf(request), await readObject(request));
      return { code: simpleCode };
    },
  },
  "/extension/status": {
    method: "GET",
    respond: async (ctx, request): Promise<ExtensionStatus> => {
      const { email, passes, ended, sessions } = await readDeviceStatus(ctx, deviceTokenOf(request));
      const pageUrlOf = (slug: string) => `${ctx.store.origin}${pagePath(slug)}`;
      return {
        email,
        latestVersion: EXTENSION_VERSION,
        passes: passes.map(({ id, toolName, toolSlug, endsAt }) => ({
          id,
          tool: toolName,
          pageUrl: pageUrlOf(toolSlug),
          endsAt: endsAt.toISOString(),
          hasNoEnd: hasNoEnd(endsAt),
        })),
        ended: ended.map(({ id, toolName, toolSlug, endedAt }) => ({
          id,
          tool: toolName,
          pageUrl: pageUrlOf(toolSlug),
          endedAt: endedAt.toISOString(),
        })),
        sessions: sessions.map((session) => sessionJson(ctx, session)),
      };
    },
  },
};

/**
 * Responds to a request of the extension. It is authenticated by its device token alone: cookies are not read, so that a
 * page of another site cannot act for a signed-in buyer.
 *
 * @param ctx with a visitor as its actor
 */
export async function respondToExtension(ctx: Context, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const endpoint = Object.hasOwn(ENDPOINTS, pathname) ? ENDPOINTS[pathname] : undefined;
  if (endpoint === undefined) return refusal(404, { code: "not-found", message: "Not found." });
  const { method } = endpoint;
  if (request.method !== method) {
    return refusal(405, { code: "method-not-allowed", message: "Method not allowed." }, { allow: method });
  }
  try {
    return Response.json(await endpoint.respond(ctx, request), { headers: NO_STORE });
  } catch (error) {
    if (!isDomainError(error)) ctx.log.error({ err: error }, "a request of the extension failed");
    const { status, message: general } = toErrorMessage(error);
    // The messages of fields are for forms.
    const message = isDomainError(error) ? messageForCode(error.code, error.details) : general;
    const limit = isDomainError(error, "device-limit-reached") ? Number(error.details.limit) : undefined;
    return refusal(status, { code: toErrorCode(error, "failed"), message, limit }, retryHeaders(error));
  }
}

const NO_STORE = { "cache-control": "no-store" };

function refusal(status: number, body: Refusal, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...NO_STORE, ...headers } });
}

function deviceTokenOf(request: Request): string | null {
  const [, token = null] = /^Bearer ([\w-]{1,200})$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  return token;
}

/** Text that is not a JSON object becomes an empty one, which no operation accepts. */
async function readObject(request: Request): Promise<UntrustedInput> {
  const body = await readJson(request);
  return typeof body === "object" && body !== null ? { ...body } : {};
}

function sessionJson(ctx: Context, session: DeviceSession): ExtensionSession {
  const { id, toolName, toolSlug, serverName, launchUrl, endsAt } = session;
  return {
    id,
    tool: toolName,
    server: serverName,
    launchUrl: launchUrl ?? `${ctx.store.origin}${pagePath(toolSlug)}`,
    endsAt: endsAt?.toISOString() ?? null,
    hasNoEnd: endsAt !== null && hasNoEnd(endsAt),
  };
}
