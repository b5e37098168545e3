import { StartupError } from "../embedded-postgres/startup-error.ts";
import { ConfigurationError } from "../env.ts";

/** Errors from the bundle and from bin/, whose classes are not ours, that tell the owner in one sentence what to do. */
const SENTENCES_FOR_THE_OWNER: readonly string[] = ["KeyError", "CatalogueFileError", "BuildError"];

/**
 * What is printed about the failure that ended the shop: a sentence for the owner where there is one, else everything
 * that finds the fault in the program. A query's text and values are left out, because they can be secrets.
 *
 * @param withPlace adds the place in the program to a sentence for the owner as well
 */
export function describeFailure(error: unknown, { withPlace }: { withPlace: boolean }): string {
  if (isForOwner(error)) return withPlace ? `${error.message}\n${framesOf(error)}` : error.message;
  const message = error instanceof Error ? messageOf(error) : String(error);
  const [line = ""] = message.split("\n");
  const sentence = `Daypass stopped: ${line}${/[.!?]$/.test(line) ? "" : "."}`;
  return error instanceof Error ? `${sentence}\n${describeChain(error)}` : sentence;
}

function isForOwner(error: unknown): error is Error {
  if (error instanceof StartupError || error instanceof ConfigurationError) return true;
  return error instanceof Error && SENTENCES_FOR_THE_OWNER.includes(error.name);
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

/** Without the first lines, which repeat the message. */
function framesOf(error: Error): string {
  return (error.stack ?? "")
    .split("\n")
    .filter((line) => line.startsWith("    at "))
    .join("\n");
}
