import { mkdirSync } from "node:fs";
import { access, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { uuidv7 } from "uuidv7";
import type { ImportFiles, ImportStep } from "#core/import/uploaded-import.ts";
import { UNPACKED_PREFIX } from "./document-export.ts";

/** The names of reports: of the command, and of an upload. */
const REPORT = /^(?:import|upload)-[\w-]+\.(?:txt|csv)(?:\.lines)?$/;
const UPLOAD = /^upload-[\w-]+\.zip$/;

/** The folder of all imports, in DATA_DIR: only the owner of the process may open it. */
export function importFolder(dataDir: string): string {
  const folder = join(dataDir, "imports");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Where the report of an uploaded file is. @param path of the upload */
export const reportPathOf = (path: string, step: ImportStep) => path.replace(/\.zip$/, `-${step}.txt`);

export function createImportFiles(dataDir: string): ImportFiles {
  const pathOf = (id: string) => join(dataDir, "imports", `upload-${id}.zip`);
  return {
    create() {
      importFolder(dataDir);
      const id = uuidv7();
      return { id, path: pathOf(id) };
    },
    pathOf,
    has: (id) =>
      access(pathOf(id)).then(
        () => true,
        () => false,
      ),
    delete: (id) => rm(pathOf(id), { force: true }),
    async deleteOlderThan({ uploads, reports }) {
      const folder = join(dataDir, "imports");
      for (const name of await readdir(folder).catch(() => [])) {
        const isReport = REPORT.test(name);
        if (!isReport && !UPLOAD.test(name) && !name.startsWith(UNPACKED_PREFIX)) continue;
        const path = join(folder, name);
        const info = await stat(path).catch(() => null);
        if (info !== null && info.mtime < (isReport ? reports : uploads))
          await rm(path, { recursive: true, force: true });
      }
    },
    async openReport(id, step) {
      const handle = await open(reportPathOf(pathOf(id), step)).catch(() => null);
      if (handle === null) return null;
      return Readable.toWeb(handle.createReadStream()) as ReadableStream<Uint8Array<ArrayBuffer>>;
    },
  };
}
