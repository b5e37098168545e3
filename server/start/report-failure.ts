import { StartupError } from "../embedded-postgres/startup-error.ts";
import { ConfigurationError } from "../env.ts";

/**
 * Errors whose message is one sentence that tells the owner what to do. They come from the bundle and from bin/, so their
 * classes are not those of this module graph.
 */
const OWNER_ERRORS: readonly string[] = [
  "KeyError",
  "CatalogueFileError",
  "BuildError",
  "ConfigurationError",
  "DatabaseLostError",
  "OldDatabaseError",
];

/**
 * Describes the failure that ended the shop: by the sentence for the owner where there is one, else with the stacks of the
 * error and its causes. The text and the values of a query are left out, because they can be secrets.
 *
 * @param withStack adds the stack to a sentence for the owner as well
 */
export function describeFailure(error: unknown, { withStack }: { withStack: boolean }): string {
  if (isForOwner(error)) return withStack ? `${error.message}\n${framesOf(error)}` : error.message;
  const message = error instanceof Error ? messageOf(error) : String(error);
  const [line = ""] = message.split("\n");
  const sentence = `Daypass stopped: ${line}${/[.!?]$/.test(line) ? "" : "."}`;
  return error instanceof Error ? `${sentence}\n${describeChain(error)}` : sentence;
}

function isForOwner(error: unknown): error is Error {
  if (error instanceof StartupError || error instanceof ConfigurationError) return true;
  return error instanceof Error && OWNER_ERRORS.includes(error.name);
}

function describeChain(error: Error): string {
  const seen = new Set<unknown>();
  const parts: string[] = [];
  for (
    let current: unknown = error;
    current instanceof Error && !seen.has(current);
    current = current.cause
  ) {
    seen.add(current);
    const code = "code" in current ? ` (${String(current.code)})` : "";
    const cause = parts.length > 0 ? "caused by " : "";
    parts.push(`${cause}${current.name}: ${messageOf(current)}${code}\n${framesOf(current)}`);
    if (current instanceof AggregateError) {
      for (const one of current.errors)
        if (one instanceof Error) parts.push(`one of them ${describeChain(one)}`);
    }
  }
  return parts.join("\n");
}

function messageOf(error: Error): string {
  return "query" in error ? "a query failed" : error.message;
}

/** The stack without its first lines, which repeat the message. */
function framesOf(error: Error): string {
  return (error.stack ?? "")
    .split("\n")
    .filter((line) => line.startsWith("    at "))
    .join("\n");
}
