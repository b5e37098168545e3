import { pino } from "pino";
import type { Log } from "#core/context.ts";
import type { LogLevel } from "./env.ts";

/**
 * Structured logs on standard output. Nothing secret is handed to it; the paths below are a second net for errors that
 * carry a request, a query or a form with them.
 */
export function createLog(level: LogLevel): Log & { child(facts: object): Log } {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: {
      paths: ["password", "token", "authorization", "cookie", "*.password", "*.token", "*.code", "*.cookie"],
      censor: "[hidden]",
    },
  });
}

/** Name, message, code and stack, down the chain of causes. Never a query's parameters: they can be secrets. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return {
    type: error.name,
    message: "query" in error ? "a query failed" : error.message,
    ...("code" in error ? { sqlState: error.code } : {}),
    stack: error.stack?.split("\n").slice(1, 8).join("\n"),
    ...(error.cause ? { cause: describeError(error.cause) } : {}),
  };
}
