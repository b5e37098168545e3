import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../time.ts";
import {
  judgeBackup,
  judgeCertificate,
  judgeClock,
  judgeDisk,
  judgeJobs,
  judgeLatency,
  judgeMemory,
  judgeNode,
  judgePostgres,
  judgeWebhook,
} from "./rules.ts";

const now = new Date("2026-11-21T10:00:00Z");
const ago = (ms: number) => new Date(now.getTime() - ms);
const GB = 1_000_000_000;

test("the disk with the least space counts, and the sentence names it", () => {
  const judge = (freeBytes: number) =>
    judgeDisk([
      { path: "/data", freeBytes },
      { path: "/big", freeBytes: 90 * GB },
    ]);
  expect(judge(5 * GB)).toEqual({ state: "ok", detail: "The disk of /data has 5.0 GB of free space." });
  expect(judge(1.4 * GB)).toMatchObject({ state: "warning", command: expect.stringContaining("/data") });
  expect(judge(0.29 * GB)).toMatchObject({
    state: "failed",
    detail: expect.stringMatching(/has 290 MB of free space/),
  });
  expect(judgeDisk([{ path: "/my data", freeBytes: 0 }]).command).toContain("--max-depth=2 '/my data' |");
});

test("memory, Node, latency and clocks have a limit for a warning and one for a failure", () => {
  const states = [
    [judgeMemory({ availableBytes: GB, limitBytes: 2 * GB }), "ok"],
    [judgeMemory({ availableBytes: 0.149 * GB, limitBytes: 2 * GB }), "warning"],
    [judgeMemory({ availableBytes: 0.049 * GB, limitBytes: 2 * GB }), "failed"],
    [judgeNode("20.20.2"), "failed"],
    [judgeNode("22.21.0"), "failed"],
    [judgeNode("23.9.0"), "failed"],
    [judgeNode("22.22.0"), "ok"],
    [judgeNode("26.0.0"), "ok"],
    // The median, so that one slow query does not count.
    [judgeLatency([1, 900, 1, 1, 900]), "ok"],
    [judgeLatency([50, 50, 50, 1, 1]), "warning"],
    [judgeLatency([300, 300, 300, 1, 1]), "failed"],
    [judgeClock(4 * SECOND, "database"), "ok"],
    [judgeClock(-30 * SECOND, "database"), "warning"],
    [judgeClock(2 * MINUTE, "gateway"), "failed"],
  ] as const;
  expect(states.map(([{ state }]) => state)).toEqual(states.map(([, state]) => state));
  expect(judgeClock(-2 * HOUR, "database").detail).toMatch(/2 h 0 min behind that of the database/);
});

test("a PostgreSQL before 15 is too old, whatever extensions it has", () => {
  expect(judgePostgres("14.11 (Debian 14.11-1)", [], false)).toMatchObject({
    state: "failed",
    detail: expect.stringMatching(/needs 15 or newer/),
  });
  expect(judgePostgres("15.2", [], false).state).toBe("ok");
  expect(judgePostgres("16.0", ["btree_gist", "pg_trgm"], false)).toMatchObject({
    detail: expect.stringMatching(/the extensions btree_gist and pg_trgm/),
    command: "CREATE EXTENSION IF NOT EXISTS btree_gist; CREATE EXTENSION IF NOT EXISTS pg_trgm;",
  });
});

test("an expired certificate is named as such also when it is wrong in other ways", () => {
  const judge = (days: number, problem: "name" | "untrusted" | null) =>
    judgeCertificate({ host: "shop.example", validTo: ago(-days * DAY), problem }, now);
  expect(judge(30, null)).toEqual({
    state: "ok",
    detail: "The certificate of shop.example is valid for another 30 days.",
  });
  expect(judge(13, null).state).toBe("warning");
  expect(judge(-1, "untrusted").detail).toMatch(/expired 1 day ago/);
  expect(judge(5, "name").detail).toMatch(/another name/);
});

test("jobs that all stand still are no failure where no shop runs; work that waits although it is due is one", () => {
  const idle = { due: [{ name: "send-mail", at: ago(HOUR) }], oldestEventAt: null, oldestMailAt: null };
  expect(judgeJobs({ ...idle, isShopHere: false }, now)).toBeNull();
  expect(judgeJobs({ ...idle, isShopHere: true }, now)?.state).toBe("failed");
  expect(judgeJobs({ ...idle, due: [], isShopHere: false }, now)).toBeNull();
  const onTime = { due: [{ name: "send-mail", at: ago(-MINUTE) }], isShopHere: false };
  const judge = (event: number | null, mail: number | null) =>
    judgeJobs(
      {
        ...onTime,
        oldestEventAt: event === null ? null : ago(event),
        oldestMailAt: mail === null ? null : ago(mail),
      },
      now,
    );
  expect(judge(null, null)?.state).toBe("ok");
  expect(judge(9 * MINUTE, 9 * MINUTE)?.state).toBe("ok");
  expect(judge(11 * MINUTE, null)?.detail).toMatch(
    /^A webhook of the payment gateway has been waiting for 11 min/,
  );
  expect(judge(null, 2 * HOUR)?.detail).toMatch(/^An email has been waiting/);
});

test("a webhook is missed only some time after the payment that it should report", () => {
  const judge = (lastPaymentAt: Date | null, lastHeardAt: Date | null) =>
    judgeWebhook(
      { hasSecret: true, address: "https://shop.example/webhooks/razorpay", lastPaymentAt, lastHeardAt },
      now,
      "UTC",
    );
  expect(judge(null, null).state).toBe("ok");
  expect(judge(ago(10 * MINUTE), null).state).toBe("ok");
  expect(judge(ago(20 * MINUTE), null).state).toBe("warning");
  expect(judge(ago(20 * MINUTE), ago(19 * MINUTE)).state).toBe("ok");
  expect(judge(ago(20 * MINUTE), ago(DAY)).detail).toMatch(
    /^The last webhook arrived on 20\/11\/26, 10:00\. The payment/,
  );
});

test("a backup that is overdue, gone, failed or not copied is named in this order", () => {
  const fine = {
    isNightly: true,
    isElsewhere: false,
    isOverdue: false,
    verified: { at: ago(5 * HOUR), path: "/b.zip", isGone: false },
    failure: null,
    copyFailure: null,
  };
  const judge = (facts: Partial<typeof fine> | object) => judgeBackup({ ...fine, ...facts }, now);
  expect(judge({})).toEqual({ state: "ok", detail: "The last verified backup is 5 h 0 min old." });
  expect(judge({ copyFailure: "S3 returned 403." })).toMatchObject({
    state: "warning",
    detail: "S3 returned 403.",
  });
  expect(judge({ failure: "The disk is full.", copyFailure: "x" }).detail).toBe(
    "The last backup failed. The disk is full.",
  );
  expect(judge({ isOverdue: true, verified: null, failure: "The disk is full." }).detail).toBe(
    "There is no verified backup. The disk is full.",
  );
  expect(judge({ verified: { ...fine.verified, isGone: true } })).toMatchObject({ state: "failed" });
  const off = { isNightly: false, verified: null };
  expect(judge(off).state).toBe("warning");
  expect(judge({ ...off, isElsewhere: true })).toMatchObject({
    state: "ok",
    detail: expect.stringMatching(/another way/),
  });
});
