import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { explainFailure, explainText, StartupError } from "./startup-error.ts";

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
  expect(explainText(text, folder)).toBe(
    `The embedded database in ${folder} could not be started: ${reason}.`,
  );
});

test.each([
  ["ENOSPC", /is full/],
  ["EDQUOT", /is full/],
  ["EROFS", /not writable for this user \(EROFS\)/],
  ["EACCES", /not writable for this user \(EACCES\)/],
  ["ENOTDIR", /is a file, not a folder/],
  ["EIO", /could not be started: broken/],
])("the system error %s becomes one sentence", (code, sentence) => {
  const error = explainFailure(Object.assign(new Error("broken"), { code }), folder);
  expect(error).toBeInstanceOf(StartupError);
  expect(error.message).toMatch(sentence);
  expect(error.message).not.toContain("\n");
});

test("an error that is already one sentence stays as it is", () => {
  const error = new StartupError("The cat sits on it.");
  expect(explainFailure(error, folder)).toBe(error);
});

test.each([
  'FATAL:  could not open file "global/pg_control": No such file or directory',
  "PANIC:  could not locate a valid checkpoint record",
  'FATAL:  required WAL directory "pg_wal" does not exist',
])("files that are gone are named with the way to the newest backup: %s", (text) => {
  expect(explainText(text, folder)).toMatch(
    /damaged or missing.*restore the newest backup.*npm run backup -- --list$/,
  );
});
