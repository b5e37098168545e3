import { constants, type Stats } from "node:fs";
import { access, readdir, readFile, stat, statfs } from "node:fs/promises";
import { freemem, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { keyFolder } from "#adapters/cipher/key-file.ts";
import { failed, type HealthCheck, ok, quoted, type Verdict, warning } from "#core/health/health-check.ts";
import { judgeDisk, judgeMemory, judgeNode } from "#core/health/rules.ts";
import { clusterHome } from "../embedded-postgres/locate-cluster.ts";
import type { Env } from "../env.ts";
import { findFewOpenFiles } from "../start/checks.ts";

/** The checks that need no settings. */
export const MACHINE_CHECKS: readonly HealthCheck[] = [
  { id: "node", run: () => judgeNode(process.versions.node) },
  { id: "memory", run: async () => judgeMemory(await readMemory()) },
  { id: "files", run: () => judgeOpenFiles(findFewOpenFiles()) },
];

function judgeOpenFiles(few: ReturnType<typeof findFewOpenFiles>): Verdict {
  if (few === null) return ok("The shop may open enough files and connections.");
  return warning(few.detail, few.remedy, few.command);
}

/** The checks of the folders that the settings name. */
export function folderChecks(env: Env): HealthCheck[] {
  const isEmbedded = env.databaseUrl === undefined;
  return [
    {
      id: "disk",
      run: async () => {
        const cluster = isEmbedded ? findClusterHome(env.dataDir) : null;
        const paths = [env.dataDir, env.backupFolder, ...(cluster === null ? [] : [cluster])];
        const existing = await Promise.all(paths.map(nearestFolder));
        return judgeDisk(await Promise.all([...new Set(existing)].map(readFreeSpace)));
      },
    },
    { id: "folders", run: () => checkFolders(env) },
  ];
}

/** null: it cannot be found. The check of the database says why. */
function findClusterHome(dataDir: string): string | null {
  try {
    return clusterHome(dataDir);
  } catch {
    return null;
  }
}

/** The folder itself, or the nearest one above it that exists. */
async function nearestFolder(path: string): Promise<string> {
  const found = await statOf(path);
  const parent = dirname(path);
  return found?.isDirectory() || parent === path ? path : nearestFolder(parent);
}

async function readFreeSpace(path: string): Promise<{ path: string; freeBytes: number }> {
  const { bavail, bsize } = await statfs(path);
  return { path, freeBytes: bavail * bsize };
}

/** Counts the limit of a container or a service too. Memory that only caches files is available. */
async function readMemory(): Promise<{ availableBytes: number; limitBytes: number }> {
  const total = totalmem();
  // Other systems do not say how much is available.
  if (process.platform !== "linux") return { availableBytes: total, limitBytes: total };
  const limit = process.constrainedMemory();
  if (limit === 0 || limit >= total) return { availableBytes: freemem(), limitBytes: total };
  const available = Math.min(freemem(), process.availableMemory() + (await readCachedFiles()));
  return { availableBytes: available, limitBytes: limit };
}

/** The bytes of cached files in the memory of the control group, which the system frees when memory is needed. */
async function readCachedFiles(): Promise<number> {
  try {
    const group = /^0::(.*)$/m.exec(await readFile("/proc/self/cgroup", "utf8"))?.[1] ?? "/";
    const text = await readFile(join("/sys/fs/cgroup", group, "memory.stat"), "utf8");
    return Number(/^inactive_file (\d+)$/m.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Checks that other users cannot open keys and backups, and that this user can use the folders of the shop. */
export async function checkFolders(
  env: Pick<Env, "dataDir" | "backupFolder">,
  refusalOf = readRefusal,
): Promise<Verdict> {
  const keys = keyFolder(env.dataDir);
  for (const path of [keys, ...(await filesOf(keys)), env.backupFolder]) {
    const found = await statOf(path);
    if (found === null) continue;
    if (path === dirname(path))
      return failed(
        "BACKUP_FOLDER is the root of the disk, which others have to use too.",
        "Set it to a folder of its own, and restart the shop:",
        `BACKUP_FOLDER=${join(env.dataDir, "backups")}`,
      );
    const isFolder = found.isDirectory();
    if (path === env.backupFolder && !isFolder)
      return failed(
        `${path} should be a folder, and is a file.`,
        "Move the file away:",
        `mv ${quoted(path)} ${quoted(`${path}.old`)}`,
      );
    if (isOpenToOthers(found))
      return failed(
        `Other users of this machine can open ${path}${path === env.backupFolder ? ", where the backups are" : ", where the keys are"}.`,
        "Close it to them:",
        `chmod ${isFolder ? 700 : 600} ${quoted(path)}`,
      );
    const needed = isFolder ? constants.R_OK | constants.X_OK : constants.R_OK;
    if ((await refusalOf(path, needed)) !== null) return notAllowed(path, "read");
  }
  for (const [setting, path] of [
    ["DATA_DIR", env.dataDir],
    ["BACKUP_FOLDER", env.backupFolder],
  ] as const) {
    const folder = await nearestFolder(path);
    const refusal = await refusalOf(folder, constants.W_OK | constants.X_OK);
    if (refusal === null) continue;
    if (refusal === "EROFS") return isReadOnly(setting, folder);
    return folder === path ? notAllowed(path, "write to") : cannotBeMade(setting, path);
  }
  return ok("The shop can use its folders, and other users cannot read keys and backups.");
}

function notAllowed(path: string, what: string): Verdict {
  return failed(
    `This user may not ${what} ${path}.`,
    "Give it to the user who runs the shop (daypass if you followed the README):",
    `sudo chown -R daypass: ${quoted(path)}`,
  );
}

function isReadOnly(setting: string, folder: string): Verdict {
  return failed(
    `${setting} is on a disk that is mounted read only: ${folder}.`,
    `Mount it for writing; dmesg says why, if the system has changed it after an error of the disk. Or set ${setting} to another folder.`,
    `sudo mount -o remount,rw "$(findmnt -n -o TARGET -T ${quoted(folder)})"`,
  );
}

/** The folder above it belongs to others, such as the system, so the command must not name that one. */
function cannotBeMade(setting: string, path: string): Verdict {
  return failed(
    `This user does not find the folder ${path}, and may not make it.`,
    `If ${setting} is misspelled, correct it. If the folder is on a disk that is not mounted, mount the disk. If the shop runs as another user, check it as that user. Otherwise make the folder for the user who runs the shop (daypass if you followed the README):`,
    `sudo install -d -o daypass -m 700 ${quoted(path)}`,
  );
}

async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.slice(0, 20).map((name) => join(folder, name));
}

/** Whether other users of the machine can open it. Windows has other rights. */
function isOpenToOthers({ mode }: Stats): boolean {
  return process.platform !== "win32" && (mode & 0o077) !== 0;
}

async function statOf(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}

/** @returns the code of the error; null: this user may use it so */
async function readRefusal(path: string, mode: number): Promise<string | null> {
  return access(path, mode).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? "",
  );
}
