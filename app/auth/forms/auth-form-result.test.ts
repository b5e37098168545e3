import { redirect } from "react-router";
import { expect, test } from "vitest";
import { callServerAction } from "./auth-form-result.ts";

const NO_RESPONSE = {
  message: "Network error. Please check your internet connection.",
  also: "What you typed is kept.",
};
const failed = "Failed to sign in with email and password";

test("the result of a form's action on the server is kept", async () => {
  const refusal = { ok: false as const, message: "Incorrect password. Please try again." };
  expect((await callServerAction(async () => refusal, failed)).data).toEqual(refusal);
  expect((await callServerAction(async () => ({ ok: true }), failed)).data).toEqual({ ok: true });
});

test.each([
  ["there is no response", new TypeError("Failed to fetch"), NO_RESPONSE],
  ["the server fails", new Error("500"), { message: failed }],
])("an account form gets a message when %s", async (_when, error, texts) => {
  const result = await callServerAction(() => Promise.reject(error), failed);
  expect(result.data).toEqual({ ok: false, ...texts });
  expect(result.init?.status).toBe(422);
});

test("a redirect of a form's action is passed on", async () => {
  const away = redirect("/admin");
  await expect(callServerAction(() => Promise.reject(away), failed)).rejects.toBe(away);
});
