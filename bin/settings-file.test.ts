import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

/** A shop whose code only prints what it gets. */
function makeShop(): { folder: string; run(command: string, env?: object): Promise<Record<string, string>> } {
  const folder = mkdtempSync(join(tmpdir(), "settings-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of ["bin", "server"]) mkdirSync(join(folder, path));
  writeFileSync(join(folder, "package.json"), '{"type":"module","name":"daypass","version":"1.0.0"}');
  for (const name of readdirSync(import.meta.dirname).filter((one) => one.endsWith(".mjs")))
    cpSync(join(import.meta.dirname, name), join(folder, "bin", name));
  writeFileSync(
    join(folder, "server", "main.ts"),
    "export async function runTask() { console.log(JSON.stringify(process.env)); return 0; }",
  );
  writeFileSync(join(folder, "print.ts"), "console.log(JSON.stringify(process.env));");
  return {
    folder,
    async run(command, env = {}) {
      const args = ["bin/daypass.mjs", command, ...(command === "exec" ? ["print.ts"] : [])];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        cwd: folder,
        env: { PATH: process.env.PATH, ...env },
      });
      return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    },
  };
}

test("a file .env beside the shop is read by start and every command of the shop; variables win; tests do not read it", async () => {
  const { folder, run } = makeShop();
  expect((await run("doctor")).STORE_NAME).toBeUndefined();
  writeFileSync(join(folder, ".env"), "STORE_NAME='My shop'\nPORT=4000\n");
  for (const command of ["supervised-start", "start", "doctor", "backup", "import"])
    expect(await run(command, { PORT: "5000" })).toMatchObject({ STORE_NAME: "My shop", PORT: "5000" });
  expect((await run("exec")).STORE_NAME).toBeUndefined();
});

test("the same settings file is read after an upgrade, and none in the folder of the new version", async () => {
  const { folder, run } = makeShop();
  writeFileSync(join(folder, ".env"), "STORE_NAME='My shop'\n");
  const release = join(folder, ".releases", "1.1.0-a");
  for (const name of ["bin", "server", "package.json"])
    cpSync(join(folder, name), join(release, name), { recursive: true });
  writeFileSync(
    join(release, "server", "main.ts"),
    "export async function runTask() { console.log(JSON.stringify({ ...process.env, RELEASE: '1.1.0' })); return 0; }",
  );
  writeFileSync(join(release, ".env"), "STORE_NAME=Other\nPORT=1\n");
  writeFileSync(join(folder, ".releases", "current"), JSON.stringify({ release: "1.1.0-a" }));
  for (const command of ["start", "doctor"]) {
    const env = await run(command);
    expect(env).toMatchObject({ STORE_NAME: "My shop", RELEASE: "1.1.0" });
    expect(env.PORT).toBeUndefined();
  }
});

test("variables of PostgreSQL's own programs do not reach the shop, except for a password", async () => {
  const { run } = makeShop();
  const env = await run("doctor", {
    PGOPTIONS: "-c x=1",
    PGSERVICE: "other",
    PGHOST: "h",
    PGPASSWORD: "p",
    PORT: "1",
  });
  expect(Object.keys(env).filter((name) => name.startsWith("PG"))).toEqual(["PGPASSWORD"]);
  expect(env.PORT).toBe("1");
});
