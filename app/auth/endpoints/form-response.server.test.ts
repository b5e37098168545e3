import { expect, test } from "vitest";
import { openAccountsShop } from "#core/accounts/testing/accounts-shop.ts";
import { DomainError } from "#core/errors.ts";
import { respondToForm } from "./form-response.server.ts";

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
