import { expect, test } from "vitest";
import { openTestShop } from "#core/accounts/testing/test-shop.ts";
import { DomainError } from "#core/errors.ts";
import { answerForm } from "./form-response.server.ts";

const shop = await openTestShop();

test("a form refused because the shop is busy is answered 503 with the time to wait", async () => {
  const { data, init } = await answerForm(shop.visitor(), "Failed", () =>
    Promise.reject(new DomainError("sign-in-busy", { retryAfterSeconds: 5 })),
  );
  expect(init?.status).toBe(503);
  expect(new Headers(init?.headers).get("retry-after")).toBe("5");
  expect(data).toEqual({
    ok: false,
    message: "Many people are signing in right now. Please try again in a few seconds.",
  });
});
