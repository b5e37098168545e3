import { expect, test } from "vitest";
import { findOtherServer } from "./server-list.tsx";

const reportedAt = new Date("2026-11-21T10:00:00Z");
type Facts = Parameters<typeof findOtherServer>[0][number];
const server = (id: string, facts: Partial<Facts> = {}): Facts => ({
  id,
  codeVersion: "v",
  reportedAt: null,
  otherReports: 0,
  ...facts,
});

test.each<[string, Facts[], string | null]>([
  ["the next one", [server("1"), server("2"), server("3")], "3"],
  ["the first one after the last", [server("1"), server("2")], "1"],
  ["none without a code", [server("1"), server("2"), server("3", { codeVersion: null })], "1"],
  ["none that was reported", [server("1"), server("2"), server("3", { reportedAt })], "1"],
  [
    "none that others reported while there is another",
    [server("1"), server("2"), server("3", { otherReports: 2 })],
    "1",
  ],
  ["one that others reported when it is the last", [server("2"), server("3", { otherReports: 1 })], "3"],
  ["nothing when it is the only one", [server("2")], null],
  ["nothing when all others were reported", [server("1", { reportedAt }), server("2")], null],
])("the server to try instead of Server 2 is %s", (_which, servers, other) => {
  expect(findOtherServer(servers, "2")?.id ?? null).toBe(other);
});
