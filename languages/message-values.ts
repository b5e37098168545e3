/** The names of the values in a message, in which a value stands as `{name}`. */
type ValueNames<M extends string> = M extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueNames<Rest>
  : never;

export type GivenValues<M extends string, Value> = [ValueNames<M>] extends [never]
  ? []
  : [values: Readonly<Record<ValueNames<M>, Value>>];

export function withValues(message: string, values: Readonly<Record<string, string | number>> = {}): string {
  return splitMessage(message)
    .map((part) => (typeof part === "string" ? part : values[part[0]]))
    .join("");
}

/** The texts of a message, and the names of its values in lists: "{count} left" → [["count"], " left"] */
export function splitMessage(message: string): (string | [string])[] {
  if (!message.includes("{")) return [message];
  return message
    .split(/[{}]/)
    .map((part, at): string | [string] => (at % 2 === 0 ? part : [part]))
    .filter((part) => part !== "");
}
