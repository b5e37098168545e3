import { placeOf } from "./places.ts";
import { type Breach, isTest, type SourceFile } from "./source-file.ts";

const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const VAGUE = /^(?:common|misc)$|(?:^|-)(?:utils?|helpers?)$/;
const ENVIRONMENT_READER = "server/env.ts";

/** Rules that look at one file alone: its name, barrels, the environment, and core's freedom from screens. */
export function fileBreaches(file: SourceFile): Breach[] {
  const at = (line: number, message: string): Breach => ({ file: file.path, line, message });
  const breaches = nameProblems(file.path).map((message) => at(1, message));
  for (const { line, message } of file.syntaxErrors) breaches.push(at(line, `cannot be parsed: ${message}`));
  if (file.onlyReExports)
    breaches.push(at(1, "only re-exports other files; import from where a thing is made"));
  if (placeOf(file.path) === "core" && file.path.endsWith(".tsx") && !isTest(file.path)) {
    breaches.push(at(1, "core holds no screens: JSX needs React"));
  }
  if (placeOf(file.path) !== "outside" && file.path !== ENVIRONMENT_READER && !isTest(file.path)) {
    for (const line of file.environmentReads) {
      breaches.push(at(line, `reads the environment; only ${ENVIRONMENT_READER} does`));
    }
  }
  return breaches;
}

function nameProblems(path: string): string[] {
  const segments = path.split("/");
  const name = segments.pop() ?? "";
  const folders = segments.filter((folder) => !folder.startsWith("."));
  const problems: string[] = [];
  for (const part of [...folders, ...name.split(".")]) {
    if (!KEBAB.test(part)) problems.push(`'${part}' is not kebab-case`);
  }
  for (const part of [...folders, name.split(".")[0] ?? ""]) {
    if (VAGUE.test(part)) {
      problems.push(`'${part}' says nothing of what is inside; name it after its job`);
    }
  }
  return problems;
}
