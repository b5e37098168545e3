import {
  type CodeRequest,
  type ConnectRequest,
  codeResponseSchema,
  connectResponseSchema,
  type ExtensionSession,
  type ExtensionStatus,
  type RedeemRequest,
  redeemResponseSchema,
  refusalSchema,
  statusResponseSchema,
} from "#contracts/extension-api.ts";
import { parseMessage } from "#contracts/parse-message.ts";

/** The shop refused a request, or could not be reached (`code` 'unreachable'). The message is for the buyer. */
export class ShopError extends Error {
  readonly code: string;
  /** How many browsers the account may use; only with the code 'device-limit-reached'. */
  readonly limit: number | undefined;

  constructor(
    code: string,
    message: string,
    { limit, ...options }: ErrorOptions & { limit?: number | undefined } = {},
  ) {
    super(message, options);
    this.name = "ShopError";
    this.code = code;
    this.limit = limit;
  }
}

/** The shop's endpoints for the extension. Every method throws ShopError. */
export interface ShopClient {
  /** @returns the device token */
  connect(request: ConnectRequest): Promise<string>;
  redeem(token: string, accessCode: string): Promise<ExtensionSession>;
  readStatus(token: string): Promise<ExtensionStatus>;
  /** @returns the access code of a session */
  revealCode(token: string, sessionId: string): Promise<string>;
}

/** The page waits ten seconds for an answer, and one redemption may take two requests. */
const REQUEST_TIMEOUT_MS = 4_000;
const UNREACHABLE = "The shop cannot be reached. Please check your internet connection and try again.";

export function createShopClient(
  origin: string,
  fetchUrl: typeof fetch = (...args) => fetch(...args),
): ShopClient {
  async function request(path: string, init: RequestInit): Promise<unknown> {
    let response: Response;
    try {
      response = await fetchUrl(`${origin}/extension/${path}`, {
        ...init,
        credentials: "omit",
        cache: "no-store",
        redirect: "error",
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
    } catch (error) {
      throw new ShopError("unreachable", UNREACHABLE, { cause: error });
    }
    const body: unknown = await response.json().catch(() => null);
    if (response.ok) return body;
    const refusal = parseMessage(refusalSchema, body);
    if (refusal === null) throw new ShopError("unreachable", UNREACHABLE);
    throw new ShopError(refusal.code, refusal.message, { limit: refusal.limit });
  }

  const post = (path: string, body: object, token?: string) =>
    request(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });

  return {
    connect: async (body) => parse(connectResponseSchema, await post("devices", body)).token,
    redeem: async (token, accessCode) => {
      const body: RedeemRequest = { accessCode };
      return parse(redeemResponseSchema, await post("redeem", body, token)).session;
    },
    revealCode: async (token, sessionId) => {
      const body: CodeRequest = { sessionId };
      return parse(codeResponseSchema, await post("code", body, token)).code;
    },
    readStatus: async (token) =>
      parse(statusResponseSchema, await request("status", { headers: { authorization: `Bearer ${token}` } })),
  };
}

function parse<Output>(schema: Parameters<typeof parseMessage<Output>>[0], body: unknown): Output {
  const parsed = parseMessage(schema, body);
  if (parsed === null) throw new ShopError("unreachable", UNREACHABLE);
  return parsed;
}
