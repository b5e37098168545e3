import { Agent, createServer, request } from "node:http";
import { expect, test } from "vitest";
import { closeGracefully } from "./close-gracefully.ts";

test("a closing server answers the current request and does not wait for its kept-alive connection", async () => {
  let answer: () => void = () => undefined;
  const server = createServer((_request, response) => {
    answer = () => response.end("done");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const agent = new Agent({ keepAlive: true });
  const arrived = new Promise<void>((resolve) => server.once("request", () => resolve()));
  const answered = new Promise<string>((resolve, reject) => {
    request({ port, host: "127.0.0.1", agent }, (response) => {
      response.setEncoding("utf8");
      response.on("data", resolve);
    })
      .on("error", reject)
      .end();
  });
  await arrived;
  const closed = closeGracefully(server);
  answer();
  expect(await answered).toBe("done");
  await closed;
  expect(server.listening).toBe(false);
  agent.destroy();
});
