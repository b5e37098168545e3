import { Writable } from "node:stream";
import { expect, test, vi } from "vitest";
import { DatabaseUnavailableError } from "#db/database-unavailable.ts";
import { createLog, createOutageLog } from "./log.ts";

function capture(quietMs?: number) {
  const lines: { level: number; msg: string; failures?: number; requestId?: string }[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { lines, log: createOutageLog(createLog("info", stream), quietMs) };
}

const facts = () => ({ err: new Error("Failed query", { cause: new DatabaseUnavailableError("gone") }) });

test("an outage that the watch reports is logged as two warnings, the second with the number of failures", () => {
  const { lines, log } = capture();
  log.databaseDown("silent");
  for (let n = 0; n < 20; n++) log.error(facts(), "job failed");
  log.child({ requestId: "r-1" }).error(facts(), "request failed");
  log.databaseUp();
  expect(lines.map(({ level }) => level)).toEqual([40, 40]);
  expect(lines[1]).toMatchObject({ msg: "the database answers again", failures: 21 });
});

test("the first failure before a reported outage is logged as a warning", () => {
  const { lines, log } = capture();
  log.child({ requestId: "r-1" }).error(facts(), "request failed");
  log.error(facts(), "job failed");
  log.databaseDown("refused");
  log.databaseUp();
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
    [40, "request failed"],
    [40, "the database is unavailable; requests are refused until it answers"],
    [40, "the database answers again"],
  ]);
  expect(lines[0]?.requestId).toBe("r-1");
});

test("failures without a reported outage are summed up after a quiet time", async () => {
  const { lines, log } = capture(20);
  for (let n = 0; n < 3; n++) log.warn(facts(), "a connection broke");
  await vi.waitUntil(() => lines.length === 2);
  expect(lines[1]).toMatchObject({ level: 40, failures: 3 });
  log.error(facts(), "another one");
  expect(lines[2]).toMatchObject({ level: 40, msg: "another one" });
});

test("an error that is not caused by the outage keeps its line and its level", () => {
  const { lines, log } = capture();
  log.databaseDown("silent");
  log.error({ err: new Error("a fault") }, "request failed");
  log.error({ discrepancy: "no-outcome" }, "money");
  expect(lines.map(({ level }) => level)).toEqual([40, 50, 50]);
});

test("a cancelled statement keeps its level and its stack, and is not counted as a failure of an outage", () => {
  const { lines, log } = capture();
  const canceled = Object.assign(new Error("canceling statement due to statement timeout"), {
    code: "57014",
  });
  log.databaseDown("silent");
  log.error({ err: new Error("Failed query", { cause: canceled }) }, "request failed");
  log.databaseUp();
  expect(lines).toMatchObject([
    { level: 40 },
    {
      level: 50,
      msg: "request failed",
      err: { stack: expect.stringContaining("    at "), cause: { sqlState: "57014" } },
    },
    { level: 40, failures: 0 },
  ]);
});
