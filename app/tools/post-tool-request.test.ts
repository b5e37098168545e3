import { afterEach, expect, test, vi } from "vitest";
import { fetchAccessCode, fetchCredential, sendReport, ToolRequestError } from "./post-tool-request.ts";

afterEach(() => vi.unstubAllGlobals());

function stubFetch(respond: () => Promise<Response>) {
  const fetch = vi.fn(respond);
  vi.stubGlobal("fetch", fetch);
  return fetch;
}
const catchError = () => fetchAccessCode("chatgpt", "chatgpt-server-1").catch((error: unknown) => error);

test("the code of a tool is fetched from the shop at each call", async () => {
  const fetch = stubFetch(async () =>
    Response.json({ ok: true, simpleCode: "CGPT-ONE", version: "v1", extensionTicket: "t" }),
  );
  expect(await fetchAccessCode("chatgpt", "chatgpt-server-1")).toEqual({
    value: "CGPT-ONE",
    version: "v1",
    ticket: "t",
  });
  expect(fetch).toHaveBeenCalledExactlyOnceWith(
    "/tools/chatgpt/code",
    expect.objectContaining({ method: "POST", body: new URLSearchParams({ serverId: "chatgpt-server-1" }) }),
  );
});

test("a refused request for a code keeps the shop's message and status", async () => {
  const message = "No access code found for Server 1";
  stubFetch(async () => Response.json({ ok: false, message }, { status: 404 }));
  const error = await catchError();
  expect(error).toBeInstanceOf(ToolRequestError);
  expect(error).toMatchObject({ message, status: 404 });
});

test.each([
  ["a server error", () => Response.json({ message: "stack trace" }, { status: 500 })],
  ["an HTML page instead of JSON", () => new Response("<html>", { status: 502 })],
  ["a response without a code", () => Response.json({ ok: true })],
])("a request for a code that ends with %s is reported with a message that the pass is not affected", async (_what, response) => {
  stubFetch(async () => response());
  expect(String(await catchError())).toContain("Your pass is fine; please try again.");
});

test("a request for a code without a connection is reported as a network error", async () => {
  stubFetch(() => Promise.reject(new TypeError("Failed to fetch")));
  const error = await catchError();
  expect(error).toMatchObject({ status: 0 });
  expect(String(error)).toContain("Network error. Please check your internet connection.");
});

test("a request for a part of a sign-in has no ticket, and its refusals name it", async () => {
  const fetch = stubFetch(async () => Response.json({ ok: true, value: "a@example.com", version: "v2" }));
  expect(await fetchCredential("aihumanizer", "email")).toEqual({
    value: "a@example.com",
    version: "v2",
    ticket: null,
  });
  expect(fetch).toHaveBeenCalledExactlyOnceWith(
    "/tools/aihumanizer/credential",
    expect.objectContaining({ method: "POST", body: new URLSearchParams({ field: "email" }) }),
  );
  stubFetch(async () => Response.json({}, { status: 500 }));
  await expect(fetchCredential("aihumanizer", "password")).rejects.toThrow("We couldn’t get the password.");
});

test("a report about a code is sent with the id of the server", async () => {
  const fetch = stubFetch(async () => Response.json({ ok: true, reportedAt: "2026-11-21T10:00:00.000Z" }));
  await sendReport("chatgpt", "chatgpt-server-1");
  expect(fetch).toHaveBeenCalledExactlyOnceWith(
    "/tools/chatgpt/report",
    expect.objectContaining({ method: "POST", body: new URLSearchParams({ serverId: "chatgpt-server-1" }) }),
  );
});
