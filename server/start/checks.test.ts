import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ConfigurationError } from "../env.ts";
import { checkDatabase, checkPort, checkVaultKeyFile } from "./checks.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

test("a free port passes the check and stays free", async () => {
  const port = await listen();
  servers.pop()?.close();
  await checkPort({ host: "127.0.0.1", port });
  await checkPort({ host: "127.0.0.1", port });
});

test("a port in use is refused with a sentence that names it", async () => {
  const port = await listen();
  await expect(checkPort({ host: "127.0.0.1", port })).rejects.toThrow(
    new ConfigurationError(
      `PORT ${port} on 127.0.0.1 is in use by another program: stop that one, or set PORT to another number.`,
    ),
  );
});

test("a HOST of another machine is refused with a sentence that names it", async () => {
  await expect(checkPort({ host: "192.0.2.1", port: 3000 })).rejects.toThrow(
    "HOST 192.0.2.1 is not an address",
  );
});

test("a rotation without keys is refused, and keys in the variable need no file", () => {
  const dataDir = "/no/such/folder";
  expect(() => checkVaultKeyFile({ vaultKeys: [], dataDir })).toThrow(
    "There are no keys in /no/such/folder/keys",
  );
  checkVaultKeyFile({ vaultKeys: ["k1:key"], dataDir });
});

test("a database that cannot be reached is refused by its address, without the password", async () => {
  const port = await listen();
  servers.pop()?.close();
  const url = `postgres://shop:hunter2@127.0.0.1:${port}/shop`;
  await expect(checkDatabase("DATABASE_URL", url)).rejects.toThrow(
    new ConfigurationError(`DATABASE_URL (127.0.0.1:${port}) cannot be reached: nothing answers there.`),
  );
});

test("a server that closes the connection is refused as a database", async () => {
  const port = await listen();
  servers[0]?.on("connection", (socket) => socket.destroy());
  await expect(
    checkDatabase("DATABASE_URL", `postgres://shop:hunter2@127.0.0.1:${port}/shop`),
  ).rejects.toThrow(/^DATABASE_URL \(127\.0\.0\.1:\d+\) cannot be reached: (?!.*hunter2)/);
});

async function listen(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}
