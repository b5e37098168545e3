import type { ImportGraph } from "./import-graph.ts";
import { domainOf } from "./layers.ts";
import { isTest, type Violation } from "./source-file.ts";

interface DomainImport {
  file: string;
  line: number;
  target: string;
}

/** For each domain the domains it imports, each with its first import. Type-only imports count. */
type DomainGraph = ReadonlyMap<string, ReadonlyMap<string, DomainImport>>;

/**
 * Cycles between the domains of core, i.e. its folders. Tests may import any domain. For each domain in a cycle its
 * shortest cycle is reported; the same cycle is reported once.
 */
export function domainCycleViolations(graph: ImportGraph): Violation[] {
  const domains = domainGraph(graph);
  const cycles = new Map<string, string[]>();
  for (const domain of [...domains.keys()].toSorted()) {
    const cycle = shortestCycle(domains, domain);
    if (cycle) cycles.set(cycle.toSorted().join(), cycles.get(cycle.toSorted().join()) ?? cycle);
  }
  return [...cycles.values()].flatMap((cycle) => describeCycle(domains, cycle));
}

function domainGraph(graph: ImportGraph): DomainGraph {
  const domains = new Map<string, Map<string, DomainImport>>();
  for (const [file, imports] of graph) {
    const from = domainOf(file);
    if (from === undefined || isTest(file)) continue;
    const known = domains.get(from) ?? new Map<string, DomainImport>();
    domains.set(from, known);
    for (const { target, line } of imports) {
      const to = domainOf(target);
      if (to !== undefined && to !== from && !known.has(to)) known.set(to, { file, line, target });
    }
  }
  return domains;
}

/** The domains on the shortest way from a domain back to itself, beginning with it; undefined when there is none. */
function shortestCycle(domains: DomainGraph, start: string): string[] | undefined {
  const paths = [[start]];
  const reached = new Set<string>();
  for (const path of paths) {
    for (const next of domains.get(path.at(-1) ?? start)?.keys() ?? []) {
      if (next === start) return path;
      if (reached.has(next)) continue;
      reached.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}

function describeCycle(domains: DomainGraph, cycle: readonly string[]): Violation[] {
  const steps = cycle.flatMap((from, at) => {
    const step = domains.get(from)?.get(cycle[(at + 1) % cycle.length] ?? "");
    return step ? [step] : [];
  });
  const [first] = steps;
  if (!first) return [];
  const imports = steps.map(({ file, line, target }) => `${file}:${line} imports ${target}`).join("; ");
  const message = `the domains ${[...cycle, cycle[0]].join(" → ")} import each other: ${imports}`;
  return [{ file: first.file, line: first.line, message }];
}
