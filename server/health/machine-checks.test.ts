import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkFolders } from "./machine-checks.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "folders-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The tests may run as root, who may use every folder. */
const nowhere = () => Promise.resolve("EACCES");

test("the remedy for a folder that is missing and cannot be made names that folder and none above it", async () => {
  const dataDir = makeFolder();
  const missing = join(dataDir, "disk", "back ups");
  const judge = (env: { dataDir: string; backupFolder: string }) =>
    checkFolders(env, async (path) =>
      path === env.dataDir && env.backupFolder === missing ? null : "EACCES",
    );
  for (const [setting, env] of [
    ["BACKUP_FOLDER", { dataDir: makeFolder(), backupFolder: missing }],
    ["DATA_DIR", { dataDir: missing, backupFolder: join(missing, "backups") }],
  ] as const) {
    const { state, detail, remedy, command } = await judge(env);
    expect(state).toBe("failed");
    expect(detail).toContain(`does not find the folder ${missing}`);
    expect(remedy).toMatch(new RegExp(`${setting} is misspelled.+not mounted`));
    expect(command).toBe(`sudo install -d -o daypass -m 700 '${missing}'`);
  }
});

test("a folder that exists is given to the user of the shop", async () => {
  const dataDir = makeFolder();
  const verdict = await checkFolders({ dataDir, backupFolder: join(dataDir, "backups") }, nowhere);
  expect(verdict).toMatchObject({ state: "failed", command: `sudo chown -R daypass: ${dataDir}` });
});

test("a folder on a disk that is mounted read only is given to nobody", async () => {
  const dataDir = makeFolder();
  const readOnly = () => Promise.resolve("EROFS");
  expect(await checkFolders({ dataDir, backupFolder: join(dataDir, "backups") }, readOnly)).toMatchObject({
    detail: `DATA_DIR is on a disk that is mounted read only: ${dataDir}.`,
    command: expect.stringMatching(/^sudo mount -o remount,rw /),
  });
});

test("the root of the disk as the folder of the backups is named, and no command closes it to others", async () => {
  const dataDir = makeFolder();
  expect(await checkFolders({ dataDir, backupFolder: "/" })).toMatchObject({
    state: "failed",
    command: `BACKUP_FOLDER=${dataDir}/backups`,
  });
});

test("a path with other than plain characters has quotes in the command", async () => {
  const dataDir = makeFolder();
  const backupFolder = join(dataDir, "the owner's backups; rm -r x");
  mkdirSync(backupFolder);
  chmodSync(backupFolder, 0o755);
  expect(await checkFolders({ dataDir, backupFolder })).toMatchObject({
    command: `chmod 700 '${dataDir}/the owner'\\''s backups; rm -r x'`,
  });
});
