import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCluster } from "./cluster.ts";
import { startEmbeddedPostgres } from "./start-embedded-postgres.ts";
import { StartupError } from "./startup-error.ts";

let folder: string;
let mounted = false;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "daypass-"));
  chmodSync(folder, 0o755);
});
afterEach(() => {
  if (mounted) execFileSync("umount", [folder]);
  mounted = false;
  rmSync(folder, { recursive: true });
});

const sentence = /^The disk that holds \S+ is full: free some space and start again\.$/;

test("a first start on a full disk fails with one sentence and leaves no incomplete files", async () => {
  if (mount("8m")) {
    const error = await startFailure(join(folder, "data"));
    expect(error).toBeInstanceOf(StartupError);
    expect(error.message).toMatch(sentence);
  } else {
    // Where nothing may be mounted, an initdb replaces the real one and fails in the same way.
    const error = await createCluster(clusterWithFailingInitdb()).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ message: expect.stringMatching(sentence) });
  }
  const home = join(folder, mounted ? "data/pg" : "home");
  const files = readdirSync(home).filter((name) => !name.startsWith("holder."));
  expect(files).toEqual([]);
});

test("a full disk that initdb reports becomes the sentence about a full disk", async () => {
  await expect(createCluster(clusterWithFailingInitdb())).rejects.toThrow(sentence);
});

test("a later start on a full disk fails with one sentence, and works once there is free space", async () => {
  if (!mount("80m")) return expect(mounted).toBe(false);
  const dataDir = join(folder, "data");
  const options = { dataDir, log: () => undefined, onFatal: () => undefined };
  await (await startEmbeddedPostgres(options)).stop();
  const filler = join(folder, "filler");
  expect(() => writeFileSync(filler, Buffer.alloc(80 * 1024 * 1024))).toThrow(/ENOSPC/);
  expect((await startFailure(dataDir)).message).toMatch(sentence);
  rmSync(filler);
  await (await startEmbeddedPostgres(options)).stop();
});

function mount(size: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "tmpfs", folder], {
      stdio: "ignore",
    });
    mounted = true;
  } catch {
    mounted = false;
  }
  return mounted;
}

function clusterWithFailingInitdb() {
  const home = join(folder, "home");
  const bin = join(folder, "programs", "bin");
  for (const made of [home, bin]) mkdirSync(made, { recursive: true });
  writeFileSync(
    join(bin, "initdb"),
    "#!/bin/sh\necho 'initdb: error: could not write to file \"pg_wal/xlogtemp.7\": No space left on device' >&2\nexit 1\n",
    { mode: 0o755 },
  );
  const binaries = { folder: join(folder, "programs"), version: "18.0.0", major: 18 };
  return {
    home,
    folder: join(home, "18"),
    logFile: join(home, "postgres.log"),
    binaries,
    account: undefined,
  };
}

async function startFailure(dataDir: string): Promise<Error> {
  return startEmbeddedPostgres({ dataDir, log: () => undefined, onFatal: () => undefined }).then(
    () => Promise.reject(new Error("it started")),
    (error: Error) => error,
  );
}
