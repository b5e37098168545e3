import { layerOf } from "./layers.ts";
import { isTest, type SourceFile, type Violation } from "./source-file.ts";

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const VAGUE_NAME = /^(?:common|misc)$|(?:^|-)(?:utils?|helpers?)$/;

const ENVIRONMENT_READER = "server/env.ts";

/** Rules that look at one file alone, in addition to Biome's. */
export function fileViolations(file: SourceFile): Violation[] {
  const at = (line: number, message: string): Violation => ({ file: file.path, line, message });
  const violations = nameProblems(file.path).map((message) => at(1, message));
  for (const { line, message } of file.syntaxErrors)
    violations.push(at(line, `cannot be parsed: ${message}`));
  if (file.onlyReExports)
    violations.push(at(1, "only re-exports other files; import from where a thing is made"));
  if (layerOf(file.path) !== "tooling" && file.path !== ENVIRONMENT_READER && !isTest(file.path)) {
    for (const line of file.hiddenReads)
      violations.push(at(line, `reads the environment; only ${ENVIRONMENT_READER} does`));
  }
  if (layerOf(file.path) === "core" && file.path.endsWith(".tsx") && !isTest(file.path)) {
    violations.push(at(1, "core holds no JSX: it does without React"));
  }
  return violations;
}

/** Biome checks the case of the names of scripts, but not of folders and style sheets. */
function nameProblems(path: string): string[] {
  const folders = path.split("/").filter((folder) => !folder.startsWith("."));
  const name = folders.pop()?.split(".")[0] ?? "";
  const unchecked = path.endsWith(".css") ? [...folders, name] : folders;
  return [
    ...unchecked.filter((part) => !KEBAB_CASE.test(part)).map((part) => `'${part}' is not kebab-case`),
    ...[...folders, name]
      .filter((part) => VAGUE_NAME.test(part))
      .map((part) => `'${part}' does not say what is inside`),
  ];
}
