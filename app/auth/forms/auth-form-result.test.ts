import { redirect } from "react-router";
import { expect, test } from "vitest";
import { answerInPlace, NETWORK_FAILURE } from "./auth-form-result.ts";

const failed = "Failed to sign in with email and password";

test("the server's own words are kept", async () => {
  const refusal = { ok: false as const, message: "Incorrect password. Please try again." };
  expect((await answerInPlace(async () => refusal, failed)).data).toEqual(refusal);
  expect((await answerInPlace(async () => ({ ok: true }), failed)).data).toEqual({ ok: true });
});

test.each([
  ["nobody answers", new TypeError("Failed to fetch"), NETWORK_FAILURE],
  ["the server fails", new Error("500"), failed],
])("when %s there are words for it", async (_when, error, message) => {
  const answer = await answerInPlace(() => Promise.reject(error), failed);
  expect(answer.data).toEqual({ ok: false, message });
  expect(answer.init?.status).toBe(422);
});

test("a redirect goes through", async () => {
  const away = redirect("/admin");
  await expect(answerInPlace(() => Promise.reject(away), failed)).rejects.toBe(away);
});
