import { type DestinationStream, pino } from "pino";
import type { Log } from "#core/context.ts";
import type { LogLevel } from "./env.ts";

/**
 * Structured logs on standard output. Callers log no secrets. The redaction is a second protection, for errors that contain
 * a request, a query or a form.
 */
export function createLog(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ dest: 1, sync: true }),
): Log & { child(facts: object): Log } {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: {
      paths: [
        "password",
        "token",
        "authorization",
        "cookie",
        "*.password",
        "*.token",
        "*.code",
        "*.cookie",
        "*.authorization",
      ],
      censor: "[hidden]",
    },
  };
  return pino(options, destination);
}

/** Name, message, code and stack of an error and its causes, without the parameters of a query: they can be secrets. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return {
    type: error.name,
    message: "query" in error ? "a query failed" : error.message,
    ...("code" in error ? { sqlState: error.code } : {}),
    // Only the frames: the first lines repeat the message.
    stack: error.stack
      ?.split("\n")
      .filter((line) => line.startsWith("    at "))
      .slice(0, 8)
      .join("\n"),
    ...(error.cause ? { cause: describeError(error.cause) } : {}),
  };
}
