import { NETWORK_ERROR_MESSAGE } from "../ui/shop-connection.tsx";

/** The shop refused a request of a tool page, or could not be reached (`status` 0). */
export class ToolRequestError extends Error {
  readonly status: number;
  /** The code of the refusal; null for a fault. */
  readonly code: string | null;

  constructor(
    message: string,
    { status, code = null, ...options }: ErrorOptions & { status: number; code?: string | null },
  ) {
    super(message, options);
    this.name = "ToolRequestError";
    this.status = status;
    this.code = code;
  }
}

/** A code or a part of a sign-in, as the shop revealed it. */
export interface Revealed {
  value: string;
  /** Compared with the version on the page: another one means that the value has changed. */
  version: string;
  /** Connects the browser extension to the account; null without one. */
  ticket: string | null;
}

const REQUEST_TIMEOUT_MS = 15_000;
const NOT_AFFECTED = "Your pass is fine; please try again.";
const UNREACHABLE = `${NETWORK_ERROR_MESSAGE} ${NOT_AFFECTED}`;

/** Fetches the access code of one server. @throws ToolRequestError */
export async function fetchAccessCode(slug: string, serverId: string): Promise<Revealed> {
  const failed = `We couldn’t get the code. ${NOT_AFFECTED}`;
  const body = await post(slug, "code", { serverId }, failed);
  return readRevealed(body, "simpleCode", failed);
}

/** Fetches the e-mail address or the password of the tool's credential. @throws ToolRequestError */
export async function fetchCredential(slug: string, field: "email" | "password"): Promise<Revealed> {
  const failed = `We couldn’t get the ${field}. ${NOT_AFFECTED}`;
  const body = await post(slug, "credential", { field }, failed);
  return readRevealed(body, "value", failed);
}

/** Reports that the code of one server does not work. @throws ToolRequestError */
export async function sendReport(slug: string, serverId: string): Promise<void> {
  await post(slug, "report", { serverId }, `We couldn’t send your report. ${NOT_AFFECTED}`);
}

function readRevealed(body: unknown, name: string, failed: string): Revealed {
  const value = textOf(body, name);
  const version = textOf(body, "version");
  if (value === null || version === null) throw new ToolRequestError(failed, { status: 500 });
  return { value, version, ticket: textOf(body, "extensionTicket") };
}

/** The JSON of the shop's response. @param failed the message for a fault of the shop */
async function post(
  slug: string,
  action: "code" | "credential" | "report",
  fields: Record<string, string>,
  failed: string,
): Promise<unknown> {
  const response = await send(`/tools/${encodeURIComponent(slug)}/${action}`, fields);
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body;
  const message = response.status < 500 ? textOf(body, "message") : null;
  throw new ToolRequestError(message ?? failed, { status: response.status, code: textOf(body, "code") });
}

async function send(path: string, fields: Record<string, string>): Promise<Response> {
  try {
    return await fetch(path, {
      method: "POST",
      body: new URLSearchParams(fields),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  } catch (error) {
    throw new ToolRequestError(UNREACHABLE, { status: 0, cause: error });
  }
}

function textOf(body: unknown, name: string): string | null {
  if (typeof body !== "object" || body === null) return null;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : null;
}
