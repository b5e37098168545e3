import { createHash } from "node:crypto";
import type pg from "pg";

/**
 * More than the number of the shop's statement texts. Further texts get no name, so that a connection keeps a limited
 * number of statements.
 */
const MAX_NAMES = 500;

/** SQLSTATEs of a statement that a pooler sent to another connection, and of a plan that a migration made invalid. */
const LOST_STATES = new Set(["26000", "42P05", "0A000"]);

/**
 * Gives every statement with values a name, so that a connection parses and plans it only once. Parsing and planning
 * are half of the work of Postgres for the shop's small queries. The first error of a pooler that does not support
 * named statements turns this off.
 *
 * @param onLost called when it is turned off
 */
export function createStatementNamer(onLost: (error: Error) => void): (client: pg.PoolClient) => void {
  const names = new Map<string, string>();
  let isEnabled = true;

  const findOrAddName = (text: string): string | undefined => {
    const known = names.get(text);
    if (known || names.size >= MAX_NAMES) return known;
    // The same text has the same name in every process, so that a pooler's connection never has another text under it.
    const name = `daypass_${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
    names.set(text, name);
    return name;
  };
  const checkError = (error: unknown) => {
    const isLost = error instanceof Error && "code" in error && LOST_STATES.has(String(error.code));
    if (!isEnabled || !isLost) return;
    isEnabled = false;
    onLost(error);
  };

  return (client) => {
    const query: (...args: unknown[]) => unknown = client.query.bind(client);
    Object.assign(client, {
      query: (...args: unknown[]) => {
        const [config, values] = args;
        if (!isEnabled || !isUnnamed(config) || !Array.isArray(values) || values.length === 0)
          return query(...args);
        const named = { ...config, name: findOrAddName(config.text) };
        const callback = args[2];
        const watchedCallback =
          typeof callback === "function"
            ? (error: unknown, ...rest: unknown[]) => {
                checkError(error);
                callback(error, ...rest);
              }
            : callback;
        const answer = query(named, values, ...(watchedCallback === undefined ? [] : [watchedCallback]));
        if (answer instanceof Promise) answer.catch(checkError);
        return answer;
      },
    });
  };
}

function isUnnamed(config: unknown): config is { text: string } {
  if (typeof config !== "object" || config === null || !("text" in config)) return false;
  return typeof config.text === "string" && !("name" in config && config.name);
}
