/**
 * Writes the migration of a change in db/tables; arguments are passed to drizzle-kit, such as `--name what-changed`. It compares
 * with the newest snapshot of the schema only, so the older ones are deleted.
 */
import { spawnSync } from "node:child_process";
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packageCommand, ROOT } from "./run-command.ts";

// It may ask at the terminal whether a column was renamed.
const { status } = spawnSync(
  process.execPath,
  [packageCommand("drizzle-kit", "drizzle-kit"), "generate", ...process.argv.slice(2)],
  { cwd: ROOT, stdio: "inherit" },
);
process.exitCode = status ?? 1;
const folder = join(ROOT, "db/migrations/meta");
for (const name of globSync("*_snapshot.json", { cwd: folder }).sort().slice(0, -1))
  rmSync(join(folder, name));
