/** Run as `node tools/house/check.ts [folder]`: prints each breach as `file:line message` and the sizes; exits 1 on a breach. */
import { resolve } from "node:path";
import { inspectHouse } from "./inspect-house.ts";

const root = resolve(process.argv[2] ?? ".");
const { files, breaches, summary } = inspectHouse(root);

for (const { file, line, message } of breaches) console.log(`${file}:${line} ${message}`);
if (breaches.length > 0) console.log("");
for (const line of summary) console.log(line);
console.log(
  `${files} source files checked, ${breaches.length} ${breaches.length === 1 ? "breach" : "breaches"}`,
);
process.exitCode = breaches.length > 0 ? 1 : 0;
