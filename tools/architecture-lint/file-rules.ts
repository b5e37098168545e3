import { layerOf } from "./layers.ts";
import { isTest, type SourceFile, type Violation } from "./source-file.ts";

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const VAGUE_NAME = /^(?:common|misc)$|(?:^|-)(?:utils?|helpers?)$/;

/** Rules that look at one file alone: its folders and name, and no JSX in core. Biome checks the case of file names. */
export function fileViolations(file: SourceFile): Violation[] {
  const at = (line: number, message: string): Violation => ({ file: file.path, line, message });
  const violations = nameProblems(file.path).map((message) => at(1, message));
  for (const { line, message } of file.syntaxErrors) violations.push(at(line, `cannot be parsed: ${message}`));
  if (layerOf(file.path) === "core" && file.path.endsWith(".tsx") && !isTest(file.path)) {
    violations.push(at(1, "core holds no JSX: it does without React"));
  }
  return violations;
}

function nameProblems(path: string): string[] {
  const folders = path.split("/").filter((folder) => !folder.startsWith("."));
  const name = folders.pop()?.split(".")[0] ?? "";
  return [
    ...folders
      .filter((folder) => !KEBAB_CASE.test(folder))
      .map((folder) => `the folder '${folder}' is not kebab-case`),
    ...[...folders, name]
      .filter((part) => VAGUE_NAME.test(part))
      .map((part) => `'${part}' does not say what is inside`),
  ];
}
