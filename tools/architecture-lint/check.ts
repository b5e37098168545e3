/** Run as `node tools/architecture-lint/check.ts [folder]`: prints each breach as `file:line message` and the sizes; exits 1 on a breach. */
import { resolve } from "node:path";
import { lintArchitecture } from "./lint-architecture.ts";

const root = resolve(process.argv[2] ?? ".");
const { files, breaches, summary } = lintArchitecture(root);

for (const { file, line, message } of breaches) console.log(`${file}:${line} ${message}`);
if (breaches.length > 0) console.log("");
for (const line of summary) console.log(line);
console.log(
  `${files} source files checked, ${breaches.length} ${breaches.length === 1 ? "breach" : "breaches"}`,
);
process.exitCode = breaches.length > 0 ? 1 : 0;
