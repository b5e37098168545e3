import { targetOf } from "./import-graph.ts";
import { directionBreach, packageBreach, placeOf } from "./places.ts";
import { type Breach, type Import, isTest, type SourceFile } from "./source-file.ts";

/** Import direction, packages a place must do without, other domains' queries, and what belongs to tests. */
export function importBreaches(file: SourceFile): Breach[] {
  const place = placeOf(file.path);
  if (place === undefined) {
    return [{ file: file.path, line: 1, message: "the house has no such top-level folder" }];
  }
  if (isTest(file.path) || place === "outside") return [];
  const breaches: Breach[] = [];
  for (const one of file.imports) {
    const message = breachOf(file, one);
    if (message) breaches.push({ file: file.path, line: one.line, message });
  }
  return breaches;
}

function breachOf(file: SourceFile, { specifier }: Import): string | undefined {
  const from = placeOf(file.path);
  const target = targetOf(file.path, specifier);
  if (from === undefined) return undefined;
  if (target === undefined) return packageBreach(from, specifier);
  const to = placeOf(target);
  if (to === undefined) return `imports ${target}, which is in no folder of the house`;
  if (isTest(target)) return `imports ${target}, which is for tests only`;
  const direction = directionBreach(from, to);
  if (direction) return `imports ${target}: ${direction}`;
  return queriesBreach(file.path, target);
}

/** Domains speak to each other through verbs: a query of another domain would share its tables' shape. */
function queriesBreach(path: string, target: string): string | undefined {
  if (!path.startsWith("core/") || !/^core\/.*queries\.server(?:\.ts)?$/.test(target)) return undefined;
  const domain = (of: string) => of.split("/").slice(0, -1)[1];
  return domain(path) === domain(target)
    ? undefined
    : `imports ${target}: another domain's queries are its own; call one of its verbs`;
}
