import { expect, test } from "vitest";
import { findOtherServer } from "./server-list.tsx";

const reportedAt = new Date("2026-11-21T10:00:00Z");
const server = (id: string, facts: { codeVersion?: string | null; reportedAt?: Date | null } = {}) => ({
  id,
  name: `Server ${id}`,
  codeVersion: "v",
  reportedAt: null,
  ...facts,
});

test.each<[string, ReturnType<typeof server>[], string | null]>([
  ["the next one", [server("1"), server("2"), server("3")], "Server 3"],
  ["the first one after the last", [server("1"), server("2")], "Server 1"],
  ["none without a code", [server("1"), server("2"), server("3", { codeVersion: null })], "Server 1"],
  ["none that was reported", [server("1"), server("2"), server("3", { reportedAt })], "Server 1"],
  ["nothing when it is the only one", [server("2")], null],
  ["nothing when all others were reported", [server("1", { reportedAt }), server("2")], null],
])("the server to try instead of Server 2 is %s", (_which, servers, name) => {
  expect(findOtherServer(servers, "2")).toBe(name);
});
