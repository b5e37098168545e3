import { createHash } from "node:crypto";
import type pg from "pg";

/** More texts than the shop has; whatever comes beyond goes unnamed, so that a connection never keeps without end. */
const MOST_NAMES = 500;

/** What a pooler answers that hands our statements to another of its connections, and a plan that a migration overtook. */
const LOST = new Set(["26000", "42P05", "0A000"]);

/**
 * Gives every statement with values a name, so that a connection parses and plans it once: half of what Postgres does for
 * the shop's small queries. Behind a pooler that does not know named statements the first refusal ends it for good.
 *
 * @param onLost told when that happens
 */
export function createStatementNamer(onLost: (error: Error) => void): (client: pg.PoolClient) => void {
  const names = new Map<string, string>();
  let on = true;

  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known || names.size >= MOST_NAMES) return known;
    // The same text has the same name in every process, so that a pooler's other connections can only not know it.
    const name = `daypass_${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
    names.set(text, name);
    return name;
  };
  const watch = (error: unknown) => {
    const isLost = error instanceof Error && "code" in error && LOST.has(String(error.code));
    if (!on || !isLost) return;
    on = false;
    onLost(error);
  };

  return (client) => {
    const query: (...args: unknown[]) => unknown = client.query.bind(client);
    Object.assign(client, {
      query: (...args: unknown[]) => {
        const [config, values] = args;
        if (!on || !isUnnamed(config) || !Array.isArray(values) || values.length === 0) return query(...args);
        const named = { ...config, name: nameOf(config.text) };
        const done = args[2];
        const heard =
          typeof done === "function"
            ? (error: unknown, ...rest: unknown[]) => {
                watch(error);
                done(error, ...rest);
              }
            : done;
        const answer = query(named, values, ...(heard === undefined ? [] : [heard]));
        if (answer instanceof Promise) answer.catch(watch);
        return answer;
      },
    });
  };
}

function isUnnamed(config: unknown): config is { text: string } {
  if (typeof config !== "object" || config === null || !("text" in config)) return false;
  return typeof config.text === "string" && !("name" in config && config.name);
}
