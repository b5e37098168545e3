/**
 * `node bin/check-rules.ts` prints each place that breaks a rule of the repository that Biome cannot express, as
 * `file:line message`, and exits with 1 when there is one. docs/architecture.md says what the layers are.
 */
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { topicsOfTables } from "#core/live/topics.ts";
import { schema, type TableName } from "#db/schema.ts";
import { looseTexts } from "./loose-texts.ts";
import { isMain, ROOT } from "./run-command.ts";

interface Import {
  specifier: string;
  line: number;
  /** Only types are imported: nothing is loaded at run time. */
  typeOnly: boolean;
}

/** What a layer may import of the others. What is not a layer (commands, tests, benches) may import everything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  app: ["app", "app/ui", "core", "contracts", "languages"],
  "app/ui": ["app/ui", "languages"],
  core: ["core", "db", "languages"],
  adapters: ["adapters", "core", "db", "languages"],
  "import-old-shop": ["import-old-shop", "core", "db"],
  db: ["db", "languages"],
  languages: ["languages"],
  contracts: ["contracts"],
  extension: ["extension", "contracts"],
  server: ["server", "bootstrap", "app", "app/ui", "adapters", "core", "db", "languages"],
  // It runs before the server bundle is loaded: a module of the bundle would exist twice.
  bootstrap: ["bootstrap", "server"],
};
/** The only file that may import import-old-shop. */
const STARTS_IMPORT = "server/import-command.ts";
const OF_THE_OUTSIDE =
  /^(?:react|react-dom|react-router|@react-router|hono|@hono|better-auth|nodemailer|razorpay)(?:\/|$)/;
const FORBIDDEN_PACKAGES: Readonly<Record<string, RegExp>> = {
  app: /^(?:drizzle-orm|pg)(?:\/|$)/,
  "app/ui": /^(?:drizzle-orm|pg)(?:\/|$)/,
  core: OF_THE_OUTSIDE,
  "import-old-shop": OF_THE_OUTSIDE,
};
const TOOLING = ["bin", "tests", "bench"];
const BOOTSTRAP = /^server\/(?:main\.ts|env\.ts|env\/.+|embedded-postgres\/.+|start\/.+)$/;
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const VAGUE_NAME = /^(?:common|misc)$|(?:^|-)(?:utils?|helpers?)$/;

const layerOf = (path: string): string | undefined => {
  if (path.startsWith("app/ui/")) return "app/ui";
  return BOOTSTRAP.test(path) ? "bootstrap" : path.split("/")[0];
};
const domainOf = (path: string) => /^core\/[^/]+(?=\/)/.exec(path)?.[0];
const isForTests = (path: string) => /\.(?:test|spec)\.tsx?$|^tests\//.test(path);

/** The source files below `root`, sorted. */
export function listSources(root: string): string[] {
  return globSync("*/**/*.{ts,tsx,mjs,css}", {
    cwd: root,
    exclude: ["node_modules/**", "build/**", "data/**", "test-results/**", "coverage/**"],
  }).toSorted();
}

/** Checks every source file below `root`. */
export function checkRules(root: string): string[] {
  const paths = listSources(root);
  const problems = paths.flatMap(nameProblems);
  const imports = new Map<string, { target: string; line: number; typeOnly: boolean }[]>();
  for (const path of paths.filter((one) => !one.endsWith(".css"))) {
    const source = readFileSync(join(root, path), "utf8");
    const found = readImports(path, source);
    const layer = layerOf(path) ?? "";
    if (isForTests(path) || TOOLING.includes(layer)) continue;
    if (!(layer in MAY_IMPORT))
      problems.push(`${path}:1 the architecture has no top-level folder '${layer}'`);
    if (domainOf(path) && path.endsWith(".tsx")) problems.push(`${path}:1 core holds no JSX`);
    for (const { specifier, line } of found) {
      const message = problemOfImport(path, layer, specifier);
      if (message !== undefined) problems.push(`${path}:${line} ${message}`);
    }
    problems.push(...unannouncedWrites(path, source));
    if (path.startsWith("app/") && path !== OPTIONAL_INTERFACES)
      problems.push(...optionalInterfaces(path, source));
    if (path.startsWith("app/")) problems.push(...looseTexts(path, source));
    if (IN_ALL_LANGUAGES.test(path)) problems.push(...untranslatedTexts(path, source));
    const ofOurs = found.flatMap(({ specifier, ...one }) => {
      const target = targetOf(path, specifier);
      return target === undefined ? [] : [{ target, ...one }];
    });
    imports.set(path, ofOurs);
  }
  return [...problems, ...bundledProblems(imports), ...domainCycles(imports)];
}

/** Type-only imports, side effects, dynamic imports and re-exports count. */
export function readImports(path: string, source: string): Import[] {
  const lineAt = (offset: number) => source.slice(0, offset).split("\n").length;
  const { module, program } = parseSync(path, source);
  const imports = module.staticImports.map(({ moduleRequest, entries, start }) => ({
    specifier: moduleRequest.value,
    line: lineAt(start),
    typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
  }));
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, isType } of entries)
      if (moduleRequest)
        imports.push({ specifier: moduleRequest.value, line: lineAt(moduleRequest.start), typeOnly: isType });
  for (const { moduleRequest, start } of module.dynamicImports)
    imports.push({
      specifier: source.slice(moduleRequest.start + 1, moduleRequest.end - 1),
      line: lineAt(start),
      typeOnly: false,
    });
  new Visitor({
    TSImportType: ({ source: { value }, start }) =>
      imports.push({ specifier: value, line: lineAt(start), typeOnly: true }),
  }).visit(program);
  return imports;
}

/** By their names in code. */
const TABLES = new Set(Object.keys(schema));
const WITHOUT_TOPICS = new Set<string>(
  (Object.keys(schema) as TableName[]).filter((name) => topicsOfTables([name]).length === 0),
);
const WRITING = new Set(["insert", "update", "delete"]);
const EXECUTORS = /^(?:tx|db|executor|inner|trial|.+\.db)$/;

type Node = { type: string; start: number; end: number } & Record<string, unknown>;
/** A statement among those that run after each other. */
type Place = { list: readonly Node[]; at: number };

/**
 * The places that write a table and do not say so. `changed` with the table has to follow in the same list of statements, with no
 * return in between, so that whatever writes also announces. `prepareWrite` with the table does it by itself. A call of Better
 * Auth counts as a write of `sessions`.
 */
function unannouncedWrites(path: string, source: string): string[] {
  const problems: string[] = [];
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const isAnnounced = ({ list, at }: Place, table: string): boolean => {
    for (const statement of list.slice(at)) {
      if (announcedTables(statement, textOf).includes(table)) return true;
      if (returns(statement)) return false;
    }
    return false;
  };
  const visit = (value: unknown, place: Place): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, place);
    if (!isNode(value)) return;
    if (isPreparedWrite(value, textOf)) return;
    const table = writtenTable(value, textOf);
    if (table !== undefined && !WITHOUT_TOPICS.has(table) && !isAnnounced(place, table)) {
      const line = source.slice(0, value.start).split("\n").length;
      problems.push(`${path}:${line} writes ${table}, and no changed(…, ${table}) follows`);
    }
    for (const child of Object.values(value)) {
      if (Array.isArray(child) && child.every((one) => isNode(one) && isStatement(one)))
        for (const [at, one] of child.entries()) visit(one, { list: child, at });
      else visit(child, place);
    }
  };
  const { program } = parseSync(path, source);
  visit(program, { list: [], at: 0 });
  return problems;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const isNode = (value: unknown): value is Node => isObject(value) && typeof value.type === "string";

const isStatement = ({ type }: Node) => /(?:Statement|Declaration)$/.test(type);

const memberOf = ({ type, callee }: Node): { object: Node; name: unknown } | undefined => {
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return undefined;
  const { object, property } = callee;
  return isNode(object) && isNode(property) ? { object, name: property.name } : undefined;
};

/** The table of `executor.insert(table)` and the like, by its name there. */
function writtenTable(node: Node, textOf: (node: Node) => string): string | undefined {
  const called = memberOf(node);
  if (called === undefined) return undefined;
  if (textOf(called.object) === "auth.api") return "sessions";
  const [table] = Array.isArray(node.arguments) ? node.arguments : [];
  if (!WRITING.has(String(called.name)) || !isNode(table) || table.type !== "Identifier") return undefined;
  const name = textOf(table);
  return TABLES.has(name) || EXECUTORS.test(textOf(called.object)) ? name : undefined;
}

/** Whether it is `prepareWrite(name, table, build)` where `build` writes this table. */
function isPreparedWrite({ type, callee, arguments: given }: Node, textOf: (node: Node) => string): boolean {
  if (type !== "CallExpression" || !isNode(callee) || textOf(callee) !== "prepareWrite") return false;
  const [, table, build] = Array.isArray(given) ? given.filter(isNode) : [];
  if (table === undefined || build === undefined) return false;
  const written = new Set<string | undefined>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) collect(one);
    if (!isNode(value)) return;
    written.add(writtenTable(value, textOf));
    for (const child of Object.values(value)) collect(child);
  };
  collect(build);
  written.delete(undefined);
  return written.size === 1 && written.has(textOf(table));
}

/** The tables of `changed(executor, …)`, where the statement is that call, or is it under a condition. */
function announcedTables(statement: Node, textOf: (node: Node) => string): string[] {
  const call = statement.type === "IfStatement" ? statement.consequent : statement;
  const expression = isNode(call) && call.type === "ExpressionStatement" ? call.expression : undefined;
  if (!isNode(expression) || expression.type !== "CallExpression") return [];
  if (!isNode(expression.callee) || textOf(expression.callee) !== "changed") return [];
  const given = Array.isArray(expression.arguments) ? expression.arguments.filter(isNode) : [];
  return given.slice(1).map(textOf);
}

/** Whether the statement may leave the function that contains it, other than by an error. */
function returns(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(returns);
  if (!isNode(node) || /Function/.test(node.type)) return false;
  return node.type === "ReturnStatement" || Object.values(node).some(returns);
}

/**
 * What buyers see. Excluded are the admin area and `/dev/ui`, which are in English, what only programs read, the first
 * message of a chat, which the owner reads, and the messages of errors, which a test checks.
 */
const IN_ALL_LANGUAGES =
  /^app\/(?!(?:admin|dev-ui|extension-api|health|request|webhooks)\/|entry\.|errors\/(?:error|refusal)-messages\.ts|storefront\/chat-inquiry\.ts)/;
const CATALOGUES = globSync("languages/*/screens.json", { cwd: ROOT }).map((path) =>
  JSON.parse(readFileSync(join(ROOT, path), "utf8")),
);
const isInAllCatalogues = (text: string) => CATALOGUES.every((catalogue) => Object.hasOwn(catalogue, text));
/** "Pay now", "{count} days left"; no name of a header, a key or a class. */
const SENTENCE = /^[^a-z]*[A-Z][a-z’']*[ ,.!?][^<>=/]*$/;
/** Attributes whose values are no texts. */
const CODE_ATTRIBUTE =
  /^(?:className|id|name|href|to|src|type|rel|role|key|method|action|value|lang|d|viewBox|autoComplete|inputMode|variant|size|tone|transform|fill|stroke.*|data-.+)$/;

/**
 * Finds texts of a screen that are in English only: text between tags, text in attributes, and sentences in the code that are
 * not in the catalogue. Thrown errors and log lines are not shown on a screen.
 */
function untranslatedTexts(path: string, source: string): string[] {
  const problems: string[] = [];
  const report = ({ start }: { start: number }, text: string) => {
    const line = source.slice(0, start).split("\n").length;
    problems.push(`${path}:${line} shows '${text.trim()}' in English only: use t() of app/ui/texts/texts.ts`);
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isNode(value) || isForDevelopers(value, source)) return;
    if (value.type === "JSXText" && /\p{L}{2}/u.test(String(value.value))) report(value, String(value.value));
    if (value.type === "JSXAttribute" && isNode(value.name)) {
      if (CODE_ATTRIBUTE.test(String(value.name.name))) return;
      const text = isNode(value.value) ? String(value.value.value) : "";
      if (/^[A-Z][a-z]/.test(text)) return report(value, text);
    }
    if (value.type === "Literal" && typeof value.value === "string")
      if (SENTENCE.test(value.value) && !isInAllCatalogues(value.value)) report(value, value.value);
    if (
      value.type === "TemplateElement" &&
      isObject(value.value) &&
      SENTENCE.test(String(value.value.cooked))
    )
      report(value, String(value.value.cooked));
    const isNamed = value.type === "Property" && value.computed === false;
    for (const [part, child] of Object.entries(value)) if (!(isNamed && part === "key")) visit(child);
  };
  visit(parseSync(path, source).program);
  return problems;
}

const OPTIONAL_INTERFACES = "app/ui/optional-interfaces.ts";
const OPTIONAL_GLOBALS =
  /^(?:BroadcastChannel|ClipboardItem|EventSource|Notification|caches|indexedDB|localStorage|sessionStorage)$/;
const OPTIONAL_MEMBERS =
  /^(?:(?:window|globalThis|self)\??\.(?:BroadcastChannel|caches|indexedDB|localStorage|Notification|sessionStorage)|navigator\??\.(?:clipboard|locks|serviceWorker|share|storage|userActivation|vibrate|wakeLock)|document\??\.startViewTransition)$/;

/** The places that read an interface of the browser that may be missing, throw or be null. Types are not read. */
function optionalInterfaces(path: string, source: string): string[] {
  const problems: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isNode(value) || /^(?:Import|TS(?!As|Satisfies|NonNull))/.test(value.type)) return;
    const text = source.slice(value.start, value.end);
    const isRead =
      (value.type === "Identifier" && OPTIONAL_GLOBALS.test(text)) ||
      (value.type === "MemberExpression" && OPTIONAL_MEMBERS.test(text));
    if (isRead) {
      const line = source.slice(0, value.start).split("\n").length;
      problems.push(
        `${path}:${line} reads ${text}, which a browser may not have: use ${OPTIONAL_INTERFACES}`,
      );
    } else
      for (const [part, child] of Object.entries(value))
        if (value.computed !== false || (part !== "key" && part !== "property")) visit(child);
  };
  visit(parseSync(path, source).program);
  return problems;
}

/** An import, a type, a thrown error, or a call of the log. */
function isForDevelopers(node: Node, source: string): boolean {
  const { type, callee } = node;
  if (/^(?:Import|TS(?!As|Satisfies|NonNull))/.test(type)) return true;
  if (!isNode(callee)) return false;
  const name = source.slice(callee.start, callee.end);
  return type === "NewExpression" ? /(?:Error|RegExp)$/.test(name) : /^(?:console|.*\blog)\./.test(name);
}

/** The path from the root that an import leads to; undefined for packages, built-in modules and generated files. */
export function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.includes("/+types/")) return undefined;
  if (specifier.startsWith("#")) return specifier.slice(1);
  if (!specifier.startsWith(".")) return undefined;
  const target = posix.join(posix.dirname(path), specifier.replace(/\?.*$/, ""));
  return target.startsWith("build/") ? undefined : target;
}

function problemOfImport(path: string, layer: string, specifier: string): string | undefined {
  const target = targetOf(path, specifier);
  if (target === undefined) {
    if (/^(?:node:)?process$/.test(specifier) && path !== "server/env.ts")
      return "imports node:process: the global does, and only server/env.ts reads the environment";
    return FORBIDDEN_PACKAGES[layer]?.test(specifier) ? `imports ${specifier} in ${layer}` : undefined;
  }
  if (isForTests(target)) return `imports ${target}, which is for tests only`;
  const targetLayer = layerOf(target) ?? "";
  const startsImport = path === STARTS_IMPORT && targetLayer === "import-old-shop";
  if (!startsImport && !MAY_IMPORT[layer]?.includes(targetLayer))
    return `imports ${target}: ${layer} may import ${MAY_IMPORT[layer]?.join(", ")}`;
  const isPrivate = /^core\/.*queries\.server\.ts$/.test(target) && domainOf(path) !== domainOf(target);
  if (isPrivate)
    return `imports ${target}: the queries of another domain are private; call one of its operations`;
  // Who has authorised has the database. The server does what an owner starts at the terminal.
  return target === "core/authorise.ts" && (layer === "app" || layer === "adapters")
    ? `imports ${target}: call an operation, which authorises`
    : undefined;
}

function nameProblems(path: string): string[] {
  const parts = path.split("/").map((part) => part.split(".")[0] ?? "");
  const wrong = parts.filter((part) => !KEBAB_CASE.test(part) || VAGUE_NAME.test(part));
  return wrong.map(
    (part) => `${path}:1 the name '${part}' is not kebab-case, or does not say what is inside`,
  );
}

type Graph = ReadonlyMap<string, readonly { target: string; line: number; typeOnly: boolean }[]>;

/** What runs before the server bundle must not lead to a module of the bundle through other files of server/. */
function bundledProblems(imports: Graph): string[] {
  const reached = new Map(
    [...imports.keys()].flatMap((path) => (layerOf(path) === "bootstrap" ? [[path, path] as const] : [])),
  );
  const problems: string[] = [];
  for (const [path, start] of reached) {
    for (const { target, typeOnly } of imports.get(path) ?? []) {
      if (typeOnly || reached.has(target)) continue;
      if (target.startsWith("server/")) reached.set(target, start);
      else if (layerOf(path) === "server")
        problems.push(`${start}:1 leads through ${path} to ${target}, which belongs to the server bundle`);
    }
  }
  return problems;
}

/** The shortest cycle of domains that import each other, for each domain in one; the same cycle is reported once. */
function domainCycles(imports: Graph): string[] {
  const domains = new Map<string, Map<string, string>>();
  for (const [path, targets] of imports) {
    const from = domainOf(path);
    for (const { target, line } of targets) {
      const to = domainOf(target);
      if (from === undefined || to === undefined || to === from) continue;
      const known = domains.get(from) ?? new Map<string, string>();
      domains.set(from, known.set(to, known.get(to) ?? `${path}:${line} imports ${target}`));
    }
  }
  const cycles = new Map<string, string>();
  for (const start of [...domains.keys()].toSorted()) {
    const cycle = shortestWayBack(domains, start);
    const key = cycle.toSorted().join();
    if (cycle.length > 0 && !cycles.has(key)) cycles.set(key, describe(domains, cycle));
  }
  return [...cycles.values()];
}

function shortestWayBack(domains: ReadonlyMap<string, ReadonlyMap<string, string>>, start: string): string[] {
  const ways = [[start]];
  const reached = new Set<string>();
  for (const way of ways) {
    for (const next of domains.get(way.at(-1) ?? "")?.keys() ?? []) {
      if (next === start) return way;
      if (!reached.has(next)) ways.push([...way, next]);
      reached.add(next);
    }
  }
  return [];
}

const describe = (domains: ReadonlyMap<string, ReadonlyMap<string, string>>, cycle: string[]) =>
  cycle.map((from, at) => domains.get(from)?.get(cycle[(at + 1) % cycle.length] ?? "")).join(", and ");

if (isMain(import.meta.url)) {
  const problems = checkRules(ROOT);
  for (const problem of problems) console.log(problem);
  console.log(`${problems.length} ${problems.length === 1 ? "place breaks" : "places break"} a rule`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
