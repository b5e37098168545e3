import { mkdirSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DeleteImportFiles } from "#core/ports.ts";

/** How the name of a folder begins into which a zip is unpacked. */
export const UNPACKED_PREFIX = "old-shop-";
/** The names of reports. Reports that begin with "upload", and zips, are from an older version, which took uploads. */
const REPORT = /^(?:import|upload)-[\w-]+\.(?:txt|csv)(?:\.lines)?$/;
const UPLOAD = /^upload-[\w-]+\.zip$/;

const pathOf = (dataDir: string) => join(dataDir, "imports");

/** The folder of all imports, in DATA_DIR: only the owner of the process may open it. */
export function importFolder(dataDir: string): string {
  const folder = pathOf(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export function createImportFileDeletion(dataDir: string): DeleteImportFiles {
  return async ({ reports, leftovers }) => {
    const folder = pathOf(dataDir);
    for (const name of await readdir(folder).catch(() => [])) {
      const isReport = REPORT.test(name);
      if (!isReport && !UPLOAD.test(name) && !name.startsWith(UNPACKED_PREFIX)) continue;
      const path = join(folder, name);
      const info = await stat(path).catch(() => null);
      if (info !== null && info.mtime < (isReport ? reports : leftovers))
        await rm(path, { recursive: true, force: true });
    }
  };
}
