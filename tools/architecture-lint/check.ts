/** `node tools/architecture-lint/check.ts [folder]` prints each violation as `file:line message`, then the sizes. Exits with 1 when there is a violation. */
import { resolve } from "node:path";
import { lintArchitecture } from "./lint-architecture.ts";

const root = resolve(process.argv[2] ?? ".");
const { files, violations, summary } = lintArchitecture(root);

for (const { file, line, message } of violations) console.log(`${file}:${line} ${message}`);
if (violations.length > 0) console.log("");
for (const line of summary) console.log(line);
console.log(
  `${files} source files checked, ${violations.length} ${violations.length === 1 ? "violation" : "violations"}`,
);
process.exitCode = violations.length > 0 ? 1 : 0;
