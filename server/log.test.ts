import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function capture() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: createLog("debug", stream) };
}

test("a log line is one JSON object with the time and the id of its request", () => {
  const { lines, log } = capture();
  log.child({ requestId: "r-1" }).info({ path: "/" }, "request");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ requestId: "r-1", path: "/", msg: "request" });
  expect(JSON.parse(lines[0] ?? "")).toHaveProperty("time");
});

test("passwords, tokens, codes and cookies are hidden at any depth of a log line", () => {
  const { lines, log } = capture();
  log.info({ password: "hunter22", form: { password: "hunter22", token: "tok-1", code: "code-1" } }, "form");
  log.info({ headers: { cookie: "session=abc", authorization: "Basic abc" } }, "headers");
  const text = lines.join("");
  for (const secret of ["hunter22", "tok-1", "code-1", "abc"]) expect(text).not.toContain(secret);
});

test("a failed query is logged without its parameters", () => {
  const { lines, log } = capture();
  const cause = Object.assign(new Error("duplicate key"), {
    code: "23505",
    detail: "Key (email)=(a@b.c) exists",
  });
  const error = Object.assign(new Error("Failed query: insert into x values ($1)\nparams: s3cret"), {
    query: "insert into x values ($1)",
    params: ["s3cret"],
    cause,
  });
  log.error({ err: error }, "query");
  expect(lines[0]).not.toContain("s3cret");
  expect(lines[0]).not.toContain("a@b.c");
  expect(lines[0]).toContain("23505");
});
