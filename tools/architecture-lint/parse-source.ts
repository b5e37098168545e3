import { parseSync, type Span, Visitor, type VisitorObject } from "oxc-parser";
import type { Import, NamedFunction, SourceFile } from "./source-file.ts";

type ModuleStatement = ReturnType<typeof parseSync>["program"]["body"][number];
type LineOf = (offset: number) => number;

/** Reads what the rules need from one file's syntax tree. Of style sheets only the length is read. */
export function parseSource(path: string, text: string): SourceFile {
  const lines = countLines(text);
  if (!/\.[cm]?[jt]sx?$/.test(path)) {
    return {
      path,
      lines,
      imports: [],
      functions: [],
      hiddenReads: [],
      onlyReExports: false,
      syntaxErrors: [],
    };
  }
  const parsed = parseSync(path, text);
  const lineOf = lineFinder(text);
  const imports: Import[] = [];
  const functions: NamedFunction[] = [];
  const hiddenReads: number[] = [];
  // A visitor has one handler for each kind of node: three visitors cannot be merged into one.
  for (const visitor of [
    importVisitor(imports, lineOf),
    functionVisitor(functions, lineOf),
    hiddenReadVisitor(hiddenReads, lineOf),
  ]) {
    new Visitor(visitor).visit(parsed.program);
  }
  return {
    path,
    lines,
    imports,
    functions,
    hiddenReads,
    onlyReExports: onlyReExports(parsed.program.body),
    syntaxErrors: parsed.errors.map(({ message, labels }) => ({
      message,
      line: lineOf(labels[0]?.start ?? 0),
    })),
  };
}

function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function lineFinder(text: string): LineOf {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next < 0 ? starts.length : next;
  };
}

function importVisitor(imports: Import[], lineOf: LineOf): VisitorObject {
  const add = (specifier: string, at: Span, typeOnly: boolean, inline = false) =>
    imports.push({ specifier, line: lineOf(at.start), typeOnly, inline });
  return {
    ImportDeclaration(node) {
      const named = node.specifiers.length > 0;
      const allTypes =
        named && node.specifiers.every((one) => one.type === "ImportSpecifier" && one.importKind === "type");
      add(node.source.value, node, node.importKind === "type" || allTypes);
    },
    ExportNamedDeclaration(node) {
      if (node.source) add(node.source.value, node, node.exportKind === "type");
    },
    ExportAllDeclaration(node) {
      add(node.source.value, node, node.exportKind === "type");
    },
    ImportExpression(node) {
      if (node.source.type === "Literal" && typeof node.source.value === "string") {
        add(node.source.value, node, false);
      } else if (node.source.type === "TemplateLiteral" && node.source.expressions.length === 0) {
        add(node.source.quasis[0]?.value.cooked ?? "", node, false);
      }
    },
    TSImportType(node) {
      add(node.source.value, node, true, true);
    },
  };
}

function functionVisitor(functions: NamedFunction[], lineOf: LineOf): VisitorObject {
  const names = new Map<number, string>();
  const add = (node: Span, name: string | undefined) => {
    if (!name) return;
    const line = lineOf(node.start);
    functions.push({ name, line, lines: lineOf(node.end) - line + 1 });
  };
  const keep = (value: Span | null, name: string) => {
    if (value) names.set(value.start, name);
  };
  return {
    VariableDeclarator(node) {
      keep(node.init, node.id.type === "Identifier" ? node.id.name : "");
    },
    MethodDefinition(node) {
      keep(node.value, node.key.type === "Identifier" ? node.key.name : "method");
    },
    PropertyDefinition(node) {
      keep(node.value, node.key.type === "Identifier" ? node.key.name : "property");
    },
    Property(node) {
      keep(node.value, node.key.type === "Identifier" ? node.key.name : "property");
    },
    ExportDefaultDeclaration(node) {
      keep(node.declaration, "default");
    },
    FunctionDeclaration(node) {
      add(node, node.id?.name ?? "default");
    },
    FunctionExpression(node) {
      add(node, names.get(node.start) ?? node.id?.name);
    },
    ArrowFunctionExpression(node) {
      add(node, names.get(node.start));
    },
  };
}

/** Reads of the environment that Biome's noProcessEnv does not see. */
function hiddenReadVisitor(reads: number[], lineOf: LineOf): VisitorObject {
  return {
    // `const { env } = process`
    VariableDeclarator({ init, id, start }) {
      if (init?.type !== "Identifier" || init.name !== "process" || id.type !== "ObjectPattern") return;
      const readsEnv = id.properties.some(
        (one) => one.type === "RestElement" || (one.key.type === "Identifier" && one.key.name === "env"),
      );
      if (readsEnv) reads.push(lineOf(start));
    },
    // `import { env } from "node:process"`
    ImportDeclaration({ source, specifiers, start }) {
      if (!/^(?:node:)?process$/.test(source.value)) return;
      const readsEnv = specifiers.some(
        (one) => one.type === "ImportSpecifier" && "name" in one.imported && one.imported.name === "env",
      );
      if (readsEnv) reads.push(lineOf(start));
    },
  };
}

function onlyReExports(body: readonly ModuleStatement[]): boolean {
  const imported = new Set<string>();
  let reExported = 0;
  for (const statement of body) {
    if (statement.type === "ImportDeclaration") {
      for (const one of statement.specifiers) imported.add(one.local.name);
    } else if (statement.type === "ExportAllDeclaration") {
      reExported += 1;
    } else if (statement.type === "ExportNamedDeclaration" && !statement.declaration) {
      const isReExport =
        statement.source !== null ||
        statement.specifiers.every((one) => one.local.type === "Identifier" && imported.has(one.local.name));
      if (!isReExport) return false;
      reExported += statement.specifiers.length;
    } else {
      return false;
    }
  }
  return reExported > 0;
}
