import { expect, test } from "vitest";
import { DomainError } from "#core/errors.ts";
import { openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { formPageHeaders, respondToForm } from "./form-response.server.ts";

const shop = await openAccountsShop();

test("a form is answered with 503 and the seconds to wait when too many people are signing in", async () => {
  const { data, init } = await respondToForm(shop.visitor(), "Failed", () =>
    Promise.reject(new DomainError("sign-in-busy", { retryAfterSeconds: 5 })),
  );
  expect(init?.status).toBe(503);
  expect(new Headers(init?.headers).get("retry-after")).toBe("5");
  expect(data).toEqual({
    ok: false,
    message: "Many people are signing in right now. Please try again in a few seconds.",
  });
});

test("a page with an account form is kept in no cache, and says when a refused form may be sent again", () => {
  expect(Object.fromEntries(formPageHeaders({ actionHeaders: new Headers() }))).toEqual({
    "cache-control": "private, no-store",
    "x-robots-tag": "noindex",
  });
  const actionHeaders = new Headers({ "Retry-After": "60", "Set-Cookie": "session=1" });
  expect(Object.fromEntries(formPageHeaders({ actionHeaders }))).toEqual({
    "cache-control": "private, no-store",
    "x-robots-tag": "noindex",
    "retry-after": "60",
  });
});
