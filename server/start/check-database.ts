import pg from "pg";
import { ConfigurationError } from "../env.ts";

const TIMEOUT_MS = 10_000;

/**
 * Connects to the database once.
 *
 * @param variable the setting that the address comes from
 * @throws ConfigurationError naming host and port, never the password
 */
export async function checkDatabase(variable: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS });
  // An error while the connection is closed changes nothing.
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    const { host } = new URL(url);
    throw new ConfigurationError(
      `${variable} (${host || "local socket"}) cannot be reached: ${reasonOf(error)}.`,
      {
        cause: error,
      },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

function reasonOf(error: unknown): string {
  // A host name with several addresses fails with one error for each address.
  const single = error instanceof AggregateError ? error.errors[0] : error;
  const code = single instanceof Error && "code" in single ? String(single.code) : "";
  const reasons: Record<string, string> = {
    ECONNREFUSED: "nothing answers there",
    ENOTFOUND: "there is no such host",
    EAI_AGAIN: "its name cannot be looked up",
    ETIMEDOUT: "it does not answer in time",
    ENOENT: "there is no such socket",
  };
  const message = single instanceof Error ? single.message : String(single);
  if (/timeout/i.test(message)) return "it does not answer in time";
  return reasons[code] ?? message.split("\n")[0]?.replace(/\.$/, "") ?? code;
}
