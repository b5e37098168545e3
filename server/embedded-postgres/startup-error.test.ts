import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import {
  DamagedDatabaseError,
  explainFailure,
  explainFileFault,
  explainText,
  StartupError,
} from "./startup-error.ts";

const folder = tmpdir();

test.each([
  ['initdb: error: directory "/x" is odd\ninitdb: removing contents', 'directory "/x" is odd'],
  [
    '2026-01-01 00:00:00 UTC [7] FATAL:  data directory "/x" has wrong ownership\n2026 LOG: bye',
    'data directory "/x" has wrong ownership',
  ],
  [
    "postgres: error while loading shared libraries: libz.so.1",
    "postgres: error while loading shared libraries: libz.so.1",
  ],
  ["", "it gave no reason"],
])("the sentence about a failed start contains the line with the error: %j", (text, reason) => {
  expect(explainText(text, folder).message).toBe(
    `The embedded database in ${folder} could not be started: ${reason}.`,
  );
});

test.each([
  ["ENOSPC", /is full/],
  ["EDQUOT", /is full/],
  ["EROFS", /^DATA_DIR cannot be used: .+ is on a disk that is mounted read only/],
  ["EACCES", /^DATA_DIR cannot be used: .+ is closed to this user \(EACCES\)/],
  ["ENOTDIR", /is a file, not a folder/],
  ["EIO", /could not be started: broken/],
])("the system error %s becomes one sentence", (code, sentence) => {
  const error = explainFailure(Object.assign(new Error("broken"), { code }), folder);
  expect(error).toBeInstanceOf(StartupError);
  expect(error.message).toMatch(sentence);
  expect(error.message).not.toContain("\n");
});

test.each([
  [{ code: "EACCES", path: "/data/keys", syscall: "mkdir" }, /^\/data\/keys is closed to this user/],
  [
    { code: "EROFS", path: "/data/keys", syscall: "mkdir" },
    /^\/data\/keys is on a disk that is mounted read only/,
  ],
  [{ code: "ENOENT", path: "/data/keys", syscall: "mkdir" }, /mounted read only/],
  [
    { code: "ENOTDIR", path: "/data/keys", syscall: "mkdir" },
    /^\/data\/keys, or a folder above it, is a file/,
  ],
  [{ code: "ENOSPC", syscall: "write" }, /^The disk that holds the files of the shop is full/],
  [{ code: "ENOENT", path: "/data/x", syscall: "open" }, null],
  [{ code: "ENOSPC", path: "/data/x", syscall: "watch" }, null],
  [{ code: "ECONNREFUSED", syscall: "connect" }, null],
])("a file or folder that cannot be used is named wherever the start meets it: %j", (properties, sentence) => {
  const cause = Object.assign(new Error("broken"), properties);
  const found = explainFileFault(new Error("outer", { cause }));
  if (sentence === null) expect(found).toBe(null);
  else expect(found).toMatch(sentence);
});

test("a full disk is named when PostgreSQL has removed its files and only its hint speaks of it", () => {
  const output =
    'FATAL:  could not extend file "base/1/2691": wrote only 4096 of 8192 bytes\nHINT:  Check free disk space.\nPANIC:  cannot abort transaction 1';
  expect(explainText(output, folder).message).toMatch(/^The disk that holds .+ is full/);
});

test("an error that is already one sentence stays as it is", () => {
  const error = new StartupError("The cat sits on it.");
  expect(explainFailure(error, folder)).toBe(error);
});

test.each([
  'FATAL:  could not open file "global/pg_control": No such file or directory',
  "PANIC:  could not locate a valid checkpoint record",
  'FATAL:  required WAL directory "pg_wal" does not exist',
])("missing files of the database are a DamagedDatabaseError: %s", (text) => {
  for (const error of [explainText(text, folder), explainFailure(new Error(text), folder)]) {
    expect(error).toBeInstanceOf(DamagedDatabaseError);
    expect(error.message).toMatch(/damaged or missing.*restore a backup\.$/);
  }
});
