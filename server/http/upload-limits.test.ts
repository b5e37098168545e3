import { describe, expect, test, vi } from "vitest";
import { requestText } from "../../tools/abuse/raw-connection.ts";
import { SOON, serve, until } from "./testing/limited-server.ts";

describe("a form of the admin and the upload of a catalogue file", () => {
  const COOKIE = { cookie: "other=1; daypass.session_token=any" };
  const uploadOf = (length: number, headers: Record<string, string> = COOKIE) => ({
    method: "POST",
    body: "x".repeat(length),
    headers,
  });

  test("have a larger limit, for requests with a session cookie and on paths of the admin only", async () => {
    const { ask, handled } = await serve({ bodyBytes: 1_000, uploadBodyBytes: 2_000 });
    for (const headers of [COOKIE, { cookie: "__Host-daypass.session_token=any" }])
      for (const path of ["/admin/catalogue", "/admin/settings.data"])
        expect((await ask(path, uploadOf(2_000, headers))).status, path).toBe(200);
    handled.length = 0;
    expect((await ask("/admin/catalogue", uploadOf(2_001))).status).toBe(413);
    for (const headers of [{}, { cookie: "x-daypass.session_token=any" }])
      expect((await ask("/admin/catalogue", uploadOf(1_001, headers))).status).toBe(413);
    for (const path of [
      "/body",
      ...["/admin", "/admin/", "/admin.data", "/admin/login", "/admin/Login", "/admin/Login.data"],
      ...["/Admin/catalogue", "/admin/catalogue/", "/admin/Settings.data", "/admin/tools.data"],
    ])
      expect((await ask(path, uploadOf(1_001))).status, path).toBe(413);
    expect(handled).toEqual([]);
  });

  test("count until they are answered, and leave other bodies their own limit", async () => {
    const { ask, open, held, refused } = await serve({
      bodyBytes: 1_000,
      uploadBodyBytes: 2_000,
      uploadBytesInFlight: 3_000,
      bodyBytesInFlight: 1_000,
    });
    const first = ask("/admin/catalogue", uploadOf(1_901));
    await until(() => held.length === 1);
    expect((await ask("/admin/catalogue", uploadOf(1_200))).status).toBe(503);
    expect(refused).toEqual(["too many bodies are being received"]);
    for (const path of ["/body", "/admin/settings.data"])
      expect((await ask(path, uploadOf(900))).status, path).toBe(200);
    held[0]?.();
    expect((await first).status).toBe(200);
    await vi.waitFor(async () => expect((await ask("/admin/catalogue", uploadOf(1_200))).status).toBe(200), {
      timeout: SOON,
      interval: 50,
    });
    // A client that leaves gives its bytes back, whether it was sending or waiting.
    for (const sent of [1_500, 1_901]) {
      const leaving = await open();
      const headers = { ...COOKIE, "content-length": "1901" };
      leaving.send(requestText({ method: "POST", path: "/admin/catalogue", headers }) + "x".repeat(sent));
      await vi.waitFor(
        async () => expect((await ask("/admin/catalogue", uploadOf(1_600))).status).toBe(503),
        { timeout: SOON, interval: 50 },
      );
      leaving.reset();
      await vi.waitFor(
        async () => expect((await ask("/admin/catalogue", uploadOf(1_600))).status).toBe(200),
        { timeout: SOON, interval: 50 },
      );
    }
  });

  test("one address cannot use all of their limit", async () => {
    const { ask, held } = await serve({ bodyBytes: 100, uploadBytesInFlightPerAddress: 2_000 });
    const first = ask("/admin/catalogue", uploadOf(1_901));
    await until(() => held.length === 1);
    expect((await ask("/admin/catalogue", uploadOf(200))).status).toBe(503);
    held[0]?.();
    expect((await first).status).toBe(200);
  });
});
