import { NETWORK_ERROR_MESSAGE } from "../ui/shop-connection.tsx";
import { t } from "../ui/texts/texts.ts";

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
  /** Compared with the version on the page: a different version means that the value has changed. */
  version: string;
  /** Connects the browser extension to the account; null if there is none. */
  ticket: string | null;
}

const REQUEST_TIMEOUT_MS = 15_000;

/** What failed, and that the buyer may try again. */
const failure = (message: string) => `${message} ${t("Your pass is fine; please try again.")}`;

/** Fetches the access code of one server. @throws ToolRequestError */
export async function fetchAccessCode(slug: string, serverId: string): Promise<Revealed> {
  const failed = failure(t("We couldn’t get the code."));
  const body = await post(slug, "code", { serverId }, failed);
  return readRevealed(body, "simpleCode", failed);
}

/** Fetches the e-mail address or the password of the tool's credential. @throws ToolRequestError */
export async function fetchCredential(slug: string, field: "email" | "password"): Promise<Revealed> {
  const failed = failure(
    t(field === "email" ? "We couldn’t get the email." : "We couldn’t get the password."),
  );
  const body = await post(slug, "credential", { field }, failed);
  return readRevealed(body, "value", failed);
}

/** Reports that the code of one server does not work. @throws ToolRequestError */
export async function sendReport(slug: string, serverId: string): Promise<void> {
  await post(slug, "report", { serverId }, failure(t("We couldn’t send your report.")));
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
    throw new ToolRequestError(failure(t(NETWORK_ERROR_MESSAGE)), { status: 0, cause: error });
  }
}

function textOf(body: unknown, name: string): string | null {
  if (typeof body !== "object" || body === null) return null;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : null;
}
