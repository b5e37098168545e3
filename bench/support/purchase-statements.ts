import { randomBytes } from "node:crypto";
import pg from "pg";
import { uuidv7 } from "uuidv7";

/** One statement as it was passed to the driver. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Records the statements of all connections until `stop`. */
export function recordStatements(): { recorded(): Statement[]; clear(): void; stop(): void } {
  const statements: Statement[] = [];
  const { prototype } = pg.Client;
  const original: unknown = prototype.query;
  if (typeof original !== "function") throw new Error("the driver has no query function");
  const replaceQuery = (value: unknown) =>
    Object.defineProperty(prototype, "query", { value, configurable: true, writable: true });
  replaceQuery(function (this: pg.Client, ...args: unknown[]): unknown {
    const [config, values] = args;
    const text = typeof config === "string" ? config : textOf(config);
    statements.push({ text, values: Array.isArray(values) ? values : valuesOf(config) });
    return Reflect.apply(original, this, args);
  });
  return {
    recorded: () => [...statements],
    clear: () => {
      statements.length = 0;
    },
    stop: () => void replaceQuery(original),
  };
}

function textOf(config: unknown): string {
  if (typeof config === "object" && config !== null && "text" in config && typeof config.text === "string") {
    return config.text;
  }
  throw new Error("a statement without text was sent");
}

function valuesOf(config: unknown): unknown[] {
  const values = typeof config === "object" && config !== null && "values" in config ? config.values : [];
  return Array.isArray(values) ? values : [];
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const GATEWAY_ID = /\b(order|pay)_[A-Za-z0-9]{14}\b/g;

/**
 * Compiles a recorded purchase to a script for other buyers. Every id that was generated in it becomes a new one, and
 * each value of `inputs` is replaced by the argument at the same position.
 */
export function compileScript(statements: readonly Statement[], inputs: readonly string[]) {
  return (replacements: readonly string[]): Statement[] => {
    const newIds = new Map(inputs.map((input, index) => [input, replacements[index] ?? input]));
    const renewId = (input: string, make: () => string) => {
      const made = newIds.get(input) ?? make();
      newIds.set(input, made);
      return made;
    };
    const replaceValue = (value: unknown): unknown => {
      if (typeof value !== "string") return value;
      let text = value;
      for (const [index, input] of inputs.entries())
        text = text.replaceAll(input, replacements[index] ?? input);
      return text
        .replace(UUID, (id) => (replacements.includes(id) ? id : renewId(id, uuidv7)))
        .replace(GATEWAY_ID, (id) =>
          renewId(id, () => `${id.split("_")[0]}_${randomBytes(7).toString("hex")}`),
        );
    };
    return statements.map(({ text, values }) => ({ text, values: values.map(replaceValue) }));
  };
}
