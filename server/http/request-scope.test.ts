import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { createClientAddresses, languageOf, routedPath } from "./request-scope.ts";

async function startFaultyServer() {
  const file = fileURLToPath(new URL("../../tests/fixtures/faulty-server.ts", import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  output.on("line", (line) => void lines.push(line));
  await once(output, "line");
  const url = `http://127.0.0.1:${lines[0]}`;
  const faults = () => lines.filter((line) => line.includes('"level":50'));
  return { child, url, faults };
}

test.each([
  ["/timer", "thrown by a timer"],
  ["/emitter", "an error event without a listener"],
  ["/stream", "incorrect header check"],
  ["/rejection", "a rejection that nobody handles"],
])("an error that no code handles ends only its own request: %s", async (path, message) => {
  const { child, url, faults } = await startFaultyServer();
  await expect(fetch(url + path)).rejects.toThrow();
  await vi.waitFor(() => expect(faults()).toHaveLength(1), { timeout: 10_000 });
  const fault = JSON.parse(faults()[0] ?? "");
  expect(fault).toMatchObject({ method: "GET", path, err: { message } });
  expect(fault.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(fault.err.stack).toContain("    at ");
  expect(await (await fetch(`${url}/well`)).text()).toBe("well");
  expect(child.exitCode).toBeNull();
});

test("an error after the answer neither changes the answer nor stops the server", async () => {
  const { url, faults } = await startFaultyServer();
  expect(await (await fetch(`${url}/after-answer`)).text()).toBe("answered");
  await vi.waitFor(() => expect(faults()).toHaveLength(1), { timeout: 10_000 });
  expect((await fetch(`${url}/well`)).status).toBe(200);
});

test("an error outside of any request ends the process with exit code 1", async () => {
  const { child } = await startFaultyServer();
  child.stdin.write("fail\n");
  const [code] = await once(child, "exit");
  expect(code).toBe(1);
});

test("a forwarded address is ignored without trusted proxies", () => {
  expect(createClientAddresses([]).addressOf("9.9.9.9", "1.1.1.1")).toBe("9.9.9.9");
});

test("the addresses that trusted proxies forward are used, hop by hop from the nearest", () => {
  const { addressOf: read } = createClientAddresses(["127.0.0.1", "10.0.0.0/8"]);
  expect(read("127.0.0.1", "6.6.6.6, 1.1.1.1")).toBe("1.1.1.1");
  expect(read("::ffff:127.0.0.1", "6.6.6.6, 1.1.1.1, 10.2.3.4")).toBe("1.1.1.1");
  expect(read("8.8.8.8", "1.1.1.1")).toBe("8.8.8.8");
});

test("a forwarded address may have a port or be an IPv4 address in IPv6 notation", () => {
  const { addressOf: read } = createClientAddresses(["127.0.0.1"]);
  expect(read("127.0.0.1", "1.2.3.4:5678")).toBe("1.2.3.4");
  expect(read("127.0.0.1", "[2001:db8::1]:443")).toBe("2001:db8::1");
  expect(read("127.0.0.1", "::FFFF:1.2.3.4")).toBe("1.2.3.4");
  expect(read("::ffff:7f00:1", "::ffff:102:304")).toBe("1.2.3.4");
});

test("an invalid forwarded address falls back to the last valid address", () => {
  const { addressOf: read } = createClientAddresses(["127.0.0.1"]);
  expect(read("127.0.0.1", "unknown")).toBe("127.0.0.1");
  expect(read("127.0.0.1", undefined)).toBe("127.0.0.1");
  expect(read(undefined, undefined)).toBe("unknown");
});

test("only the addresses of trusted proxies count as trusted proxies", () => {
  const { isTrustedProxy } = createClientAddresses(["127.0.0.1", "10.0.0.0/8"]);
  expect(isTrustedProxy("127.0.0.1")).toBe(true);
  expect(isTrustedProxy("::ffff:10.2.3.4")).toBe(true);
  expect(isTrustedProxy("8.8.8.8")).toBe(false);
  expect(isTrustedProxy(undefined)).toBe(false);
});

test.each([
  ["/healthz?x=1", "/healthz"],
  ["/x/../healthz", "/healthz"],
  ["/x/%2e%2e/webhooks/%72azorpay", "/webhooks/razorpay"],
  ["//x/healthz", "//x/healthz"],
  ["http://evil.example/checkout/start", "/checkout/start"],
  ["/a%zz", "/a%zz"],
  ["*", ""],
])("the request target %s has the path that the router sees: %s", (target, path) => {
  expect(routedPath(target)).toBe(path);
});

test.each([
  ["no header", {}, "en"],
  ["a phone in Hindi", { "accept-language": "hi-IN,hi;q=0.9,en-IN;q=0.8,en;q=0.7" }, "hi"],
  ["a phone in English whose owner reads Hindi too", { "accept-language": "en-IN,en;q=0.9,hi;q=0.8" }, "en"],
  ["a language that the shop does not have, before Hindi", { "accept-language": "ta-IN,hi;q=0.5" }, "hi"],
  ["only languages that the shop does not have", { "accept-language": "ta-IN,ta;q=0.9" }, "en"],
  ["an order by the weights", { "accept-language": "en;q=0.3,hi;q=0.8" }, "hi"],
  ["the language that was chosen", { cookie: "a=b; daypass.language=en", "accept-language": "hi" }, "en"],
  ["Hindi that was chosen", { cookie: "daypass.language=hi; a=b", "accept-language": "en" }, "hi"],
  ["an unknown choice", { cookie: "daypass.language=xx", "accept-language": "hi" }, "hi"],
  ["another cookie whose name ends the same", { cookie: "xdaypass.language=hi" }, "en"],
  ["a language that is not wanted", { "accept-language": "hi;q=0, ta" }, "en"],
  ["a longer name at the end of what is read", { "accept-language": `${"x,".repeat(49)}hil` }, "en"],
  ["a header of any length", { "accept-language": `${"xx,".repeat(5_000)}hi` }, "en"],
] as const)("the language of a request with %s", (_what, headers, language) => {
  expect(languageOf(headers)).toBe(language);
});
