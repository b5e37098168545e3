import { expect, expectTypeOf, test } from "vitest";
import type { Executor } from "#db/database.ts";
import { type AuthorisedContext, allowAnyone } from "./authorise.ts";
import type { Context } from "./context.ts";

test("a context opens the database only in an operation that has authorised", () => {
  expectTypeOf<Context["db"]>().not.toExtend<Executor>();
  expectTypeOf<Context>().not.toExtend<AuthorisedContext>();
  const ctx = { db: {} } as Context;
  allowAnyone(ctx);
  expectTypeOf(ctx.db).toExtend<Executor>();
  expect(ctx.db).toBeDefined();
});
