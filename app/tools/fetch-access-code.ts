import { NETWORK_ERROR_MESSAGE } from "../ui/shop-connection.ts";

/** The shop refused the access code, or could not be reached (`status` 0). */
export class AccessCodeError extends Error {
  readonly status: number;

  constructor(message: string, { status, ...options }: ErrorOptions & { status: number }) {
    super(message, options);
    this.name = "AccessCodeError";
    this.status = status;
  }
}

const REQUEST_TIMEOUT_MS = 15_000;
const NOT_AFFECTED = "Your pass is not affected; please try again.";
const UNREACHABLE = `${NETWORK_ERROR_MESSAGE} ${NOT_AFFECTED}`;
const FAILED = `The code could not be fetched. ${NOT_AFFECTED}`;

/** Fetches the access code of one server. @throws AccessCodeError */
export async function fetchAccessCode(slug: string, serverId: string): Promise<string> {
  const response = await post(`/tools/${encodeURIComponent(slug)}/code`, serverId);
  const body: unknown = await response.json().catch(() => null);
  const code = textOf(body, "simpleCode");
  if (response.ok && code !== null) return code;
  const message = response.status < 500 ? textOf(body, "message") : null;
  throw new AccessCodeError(message ?? FAILED, { status: response.status });
}

async function post(path: string, serverId: string): Promise<Response> {
  try {
    return await fetch(path, {
      method: "POST",
      body: new URLSearchParams({ serverId }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  } catch (error) {
    throw new AccessCodeError(UNREACHABLE, { status: 0, cause: error });
  }
}

function textOf(body: unknown, name: string): string | null {
  if (typeof body !== "object" || body === null) return null;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : null;
}
