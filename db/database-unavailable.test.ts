import { expect, test } from "vitest";
import {
  causedByCanceledStatement,
  causedByUnavailableDatabase,
  DatabaseUnavailableError,
  markConnectionError,
} from "./database-unavailable.ts";

const withCode = (code: string) => Object.assign(new Error("failed"), { code });

test.each([
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "25006",
  "57014",
  "08006",
  "08001",
])("SQLSTATE %s means an unavailable database", (code) => {
  expect(causedByUnavailableDatabase(withCode(code))).toBe(true);
});

test.each([
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
  "Client has encountered a connection error and is not queryable",
])("an error with the driver's message '%s' means an unavailable database", (message) => {
  expect(causedByUnavailableDatabase(new Error(message))).toBe(true);
});

test.each([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
])("the code %s means an unavailable database only on a connection to it", (code) => {
  const error = withCode(code);
  expect(causedByUnavailableDatabase(error)).toBe(false);
  markConnectionError(error);
  expect(causedByUnavailableDatabase(error)).toBe(true);
});

test("an error means an unavailable database when any of its causes does", () => {
  const cause = new Error("Failed query", { cause: new DatabaseUnavailableError("gone") });
  expect(causedByUnavailableDatabase(new Error("outer", { cause }))).toBe(true);
});

test("only an error with SQLSTATE 57014, at any depth, is a cancelled statement", () => {
  expect(causedByCanceledStatement(new Error("outer", { cause: withCode("57014") }))).toBe(true);
  expect(causedByCanceledStatement(withCode("57P01"))).toBe(false);
});

test.each([
  "23505",
  "40001",
  "42P01",
  "28P01",
  "53100",
])("SQLSTATE %s does not mean an unavailable database", (code) => {
  const error = Object.assign(withCode(code), { severity: "ERROR" });
  markConnectionError(error);
  expect(causedByUnavailableDatabase(error)).toBe(false);
});

test.each([
  undefined,
  "text",
  {},
  new Error("failed"),
])("%s does not mean an unavailable database", (error) => {
  expect(causedByUnavailableDatabase(error)).toBe(false);
});

test("an error with a circular chain of causes does not mean an unavailable database", () => {
  const error = new Error("circular");
  error.cause = error;
  expect(causedByUnavailableDatabase(error)).toBe(false);
});
