import { parseSync, type Span, Visitor, type VisitorObject } from "oxc-parser";
import type { Import, SizedFunction, SourceFile } from "./source-file.ts";

type Parsed = ReturnType<typeof parseSync>;
type LineOf = (offset: number) => number;
type ModuleStatement = Parsed["program"]["body"][number];

/** Reads the facts the rules need out of one file's syntax tree. Files that are not script have only a length. */
export function parseSource(path: string, text: string): SourceFile {
  const lines = countLines(text);
  if (!/\.[cm]?[jt]sx?$/.test(path)) {
    return {
      path,
      lines,
      imports: [],
      functions: [],
      environmentReads: [],
      onlyReExports: false,
      syntaxErrors: [],
    };
  }
  const parsed = parseSync(path, text);
  const lineOf = lineFinder(text);
  const imports: Import[] = [];
  const functions: SizedFunction[] = [];
  const environmentReads: number[] = [];
  // One walk each: merged into one object, a visitor would replace another's handler of the same node.
  for (const visitor of [
    importVisitor(imports, lineOf),
    functionVisitor(functions, lineOf),
    environmentVisitor(environmentReads, lineOf),
  ]) {
    new Visitor(visitor).visit(parsed.program);
  }
  return {
    path,
    lines,
    imports,
    functions,
    environmentReads,
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
  const add = (specifier: string, at: Span, typeOnly: boolean) =>
    imports.push({ specifier, line: lineOf(at.start), typeOnly });
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
      add(node.source.value, node, true);
    },
  };
}

function functionVisitor(functions: SizedFunction[], lineOf: LineOf): VisitorObject {
  const names = new Map<number, string>();
  const add = (node: Span, name: string) => {
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
      add(node, names.get(node.start) ?? node.id?.name ?? "");
    },
    ArrowFunctionExpression(node) {
      add(node, names.get(node.start) ?? "");
    },
  };
}

function environmentVisitor(reads: number[], lineOf: LineOf): VisitorObject {
  const found = (at: Span) => reads.push(lineOf(at.start));
  return {
    // `process.env`, `process["env"]`, `globalThis.process.env`
    MemberExpression(node) {
      const name =
        node.property.type === "Literal"
          ? node.property.value
          : "name" in node.property && node.property.name;
      const object = node.object;
      const onProcess =
        (object.type === "Identifier" && object.name === "process") ||
        (object.type === "MemberExpression" &&
          "name" in object.property &&
          object.property.name === "process");
      if (onProcess && name === "env") found(node);
    },
    // `const { env } = process`
    VariableDeclarator(node) {
      if (
        node.init?.type !== "Identifier" ||
        node.init.name !== "process" ||
        node.id.type !== "ObjectPattern"
      )
        return;
      const takesEnv = node.id.properties.some(
        (one) => one.type === "RestElement" || (one.key.type === "Identifier" && one.key.name === "env"),
      );
      if (takesEnv) found(node);
    },
    // `import { env } from "node:process"`
    ImportDeclaration(node) {
      if (!/^(?:node:)?process$/.test(node.source.value)) return;
      const takesEnv = node.specifiers.some(
        (one) => one.type === "ImportSpecifier" && "name" in one.imported && one.imported.name === "env",
      );
      if (takesEnv) found(node);
    },
  };
}

function onlyReExports(body: readonly ModuleStatement[]): boolean {
  const imported = new Set<string>();
  let passedOn = 0;
  for (const statement of body) {
    if (statement.type === "ImportDeclaration") {
      for (const one of statement.specifiers) imported.add(one.local.name);
    } else if (statement.type === "ExportAllDeclaration") {
      passedOn += 1;
    } else if (statement.type === "ExportNamedDeclaration" && !statement.declaration) {
      const fromElsewhere =
        statement.source !== null ||
        statement.specifiers.every((one) => one.local.type === "Identifier" && imported.has(one.local.name));
      if (!fromElsewhere) return false;
      passedOn += statement.specifiers.length;
    } else {
      return false;
    }
  }
  return passedOn > 0;
}
