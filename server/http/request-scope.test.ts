import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";

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
