import { afterEach, expect, test, vi } from "vitest";
import { CodeRefused, fetchAccessCode } from "./fetch-access-code.ts";

afterEach(() => vi.unstubAllGlobals());

function shopThat(answers: () => Promise<Response>) {
  const fetch = vi.fn(answers);
  vi.stubGlobal("fetch", fetch);
  return fetch;
}
const refusal = () => fetchAccessCode("chatgpt", "chatgpt-server-1").catch((error: unknown) => error);

test("the code comes from the shop at that moment", async () => {
  const fetch = shopThat(async () => Response.json({ ok: true, simpleCode: "CGPT-ONE" }));
  expect(await fetchAccessCode("chatgpt", "chatgpt-server-1")).toBe("CGPT-ONE");
  expect(fetch).toHaveBeenCalledExactlyOnceWith(
    "/tools/chatgpt/code",
    expect.objectContaining({ method: "POST", body: new URLSearchParams({ serverId: "chatgpt-server-1" }) }),
  );
});

test("a refusal keeps the shop's words and status", async () => {
  const message = "No access code found for Server 1";
  shopThat(async () => Response.json({ ok: false, message }, { status: 404 }));
  const error = await refusal();
  expect(error).toBeInstanceOf(CodeRefused);
  expect(error).toMatchObject({ message, status: 404 });
});

test.each([
  ["a fault of the shop", () => Response.json({ message: "stack trace" }, { status: 500 })],
  ["a page instead of an answer", () => new Response("<html>", { status: 502 })],
  ["an answer without a code", () => Response.json({ ok: true })],
])("%s says that nothing is lost", async (_what, answer) => {
  shopThat(async () => answer());
  expect(String(await refusal())).toContain("Your pass is not affected; please try again.");
});

test("being offline is told as such", async () => {
  shopThat(() => Promise.reject(new TypeError("Failed to fetch")));
  const error = await refusal();
  expect(error).toMatchObject({ status: 0 });
  expect(String(error)).toContain("Network error. Please check your internet connection.");
});
