import { randomBytes } from "node:crypto";
import pg from "pg";
import { uuidv7 } from "uuidv7";

/** One statement as the driver was given it, its values as they travel. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Writes down every statement of the connections that are opened from now on, until `stop`. */
export function watchStatements(): { taken(): Statement[]; forget(): void; stop(): void } {
  const statements: Statement[] = [];
  const { prototype } = pg.Client;
  const original: unknown = prototype.query;
  if (typeof original !== "function") throw new Error("the driver has no query function");
  const use = (value: unknown) =>
    Object.defineProperty(prototype, "query", { value, configurable: true, writable: true });
  use(function (this: pg.Client, ...args: unknown[]): unknown {
    const [config, values] = args;
    const text = typeof config === "string" ? config : textOf(config);
    statements.push({ text, values: Array.isArray(values) ? values : valuesOf(config) });
    return Reflect.apply(original, this, args);
  });
  return {
    taken: () => [...statements],
    forget: () => {
      statements.length = 0;
    },
    stop: () => void use(original),
  };
}

function textOf(config: unknown): string {
  if (typeof config === "object" && config !== null && "text" in config && typeof config.text === "string") {
    return config.text;
  }
  throw new Error("a statement without text was sent");
}

function valuesOf(config: unknown): unknown[] {
  const given = typeof config === "object" && config !== null && "values" in config ? config.values : [];
  return Array.isArray(given) ? given : [];
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const GATEWAY_ID = /\b(order|pay)_[A-Za-z0-9]{14}\b/g;

/**
 * A recorded purchase as a script for another buyer: every id made during it becomes a new one, and the words in `given`
 * are replaced by those handed to the script.
 */
export function compileScript(statements: readonly Statement[], given: readonly string[]) {
  return (replacements: readonly string[]): Statement[] => {
    const known = new Map(given.map((word, index) => [word, replacements[index] ?? word]));
    const fresh = (word: string, make: () => string) => {
      const made = known.get(word) ?? make();
      known.set(word, made);
      return made;
    };
    const renew = (value: unknown): unknown => {
      if (typeof value !== "string") return value;
      let text = value;
      for (const [index, word] of given.entries()) text = text.replaceAll(word, replacements[index] ?? word);
      return text
        .replace(UUID, (id) => (replacements.includes(id) ? id : fresh(id, uuidv7)))
        .replace(GATEWAY_ID, (id) =>
          fresh(id, () => `${id.split("_")[0]}_${randomBytes(7).toString("hex")}`),
        );
    };
    return statements.map(({ text, values }) => ({ text, values: values.map(renew) }));
  };
}
