/** The shop did not hand out a code. `status` is 0 when it could not be reached. */
export class CodeRefused extends Error {
  readonly status: number;

  constructor(message: string, { status, ...options }: ErrorOptions & { status: number }) {
    super(message, options);
    this.name = "CodeRefused";
    this.status = status;
  }
}

const PATIENCE_MS = 15_000;
const UNREACHABLE =
  "Network error. Please check your internet connection. Your pass is not affected; please try again.";
const FAILED = "The code could not be fetched. Your pass is not affected; please try again.";

/** The code of one server that is active at this moment. @throws CodeRefused */
export async function fetchAccessCode(slug: string, serverId: string): Promise<string> {
  const answer = await ask(`/tools/${encodeURIComponent(slug)}/code`, serverId);
  const body: unknown = await answer.json().catch(() => null);
  const code = textOf(body, "simpleCode");
  if (answer.ok && code !== null) return code;
  const said = answer.status < 500 ? textOf(body, "message") : null;
  throw new CodeRefused(said ?? FAILED, { status: answer.status });
}

async function ask(address: string, serverId: string): Promise<Response> {
  try {
    return await fetch(address, {
      method: "POST",
      body: new URLSearchParams({ serverId }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch (error) {
    throw new CodeRefused(UNREACHABLE, { status: 0, cause: error });
  }
}

function textOf(body: unknown, name: string): string | null {
  if (typeof body !== "object" || body === null) return null;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : null;
}
