import { spawn } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startThrowawayPostgres, type TestServer } from "./throwaway-postgres.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startThrowawayPostgres();
});
afterAll(() => server.stop());

/** When the server was started; null when it does not answer. */
async function readStartTime(): Promise<string | null> {
  const client = new pg.Client({ connectionString: server.url, connectionTimeoutMillis: 1_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query("select pg_postmaster_start_time()::text as started");
    return String(rows[0]?.started);
  } catch {
    return null;
  } finally {
    void client.end();
  }
}

test("a server that a killed test has paused continues and ends", async () => {
  const startedAt = await vi.waitUntil(readStartTime, 30_000);
  const program = `
    const { pausePostgres } = await import(${JSON.stringify(new URL("./pause-postgres.ts", import.meta.url))});
    await pausePostgres(process.argv[1]);
    console.log("paused");
    setInterval(() => {}, 1000);
  `;
  const pausing = spawn(process.execPath, ["--input-type=module", "-e", program, server.url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(pausing.stdout, "data");
  expect(await readStartTime()).toBeNull();

  const ended = once(pausing, "exit");
  pausing.kill("SIGKILL");
  await ended;
  // This process watches the server and starts it again.
  await vi.waitUntil(async () => ![null, startedAt].includes(await readStartTime()), 30_000);
});
