import { createServer, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createSmtpTransport } from "./smtp-transport.ts";

/**
 * A mail server on loopback with the needed part of SMTP. It accepts a password but requires none, offers no STARTTLS,
 * and refuses recipients at nowhere.example. `commands` contains every line outside of messages.
 */
async function startMailServer() {
  const received: string[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)));
    let inData = false;
    let pending = "";
    let message = "";
    socket.write("220 test\r\n");
    socket.on("data", (chunk) => {
      pending += chunk.toString("utf8");
      for (let end = pending.indexOf("\r\n"); end >= 0; end = pending.indexOf("\r\n")) {
        const line = pending.slice(0, end);
        pending = pending.slice(end + 2);
        if (inData && line === ".") {
          inData = false;
          received.push(message);
          socket.write("250 taken\r\n");
        } else if (inData) message += `${line}\n`;
        else if (line === "DATA") {
          inData = true;
          message = "";
          socket.write("354 go on\r\n");
        } else if (commands.push(line) && line.startsWith("EHLO"))
          socket.write("250-test\r\n250 AUTH PLAIN LOGIN\r\n");
        else if (line === "STARTTLS") socket.write("502 not implemented\r\n");
        else if (line.startsWith("AUTH")) socket.write("235 welcome\r\n");
        else if (line.includes("nowhere.example")) socket.write("550 no such mailbox\r\n");
        else if (line === "QUIT") socket.end("221 bye\r\n");
        else socket.write("250 ok\r\n");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the mail server has no port");
  return { url: `smtp://127.0.0.1:${address.port}`, port: address.port, received, commands };
}

const message = {
  senderName: "Sweet Shop",
  subject: "Set a new password",
  html: "<p>Hello ₹</p>",
  text: "Hello",
};

test("a mail arrives with its sender, recipient, subject and both bodies", async () => {
  const { url, received } = await startMailServer();
  const transport = createSmtpTransport({ url, from: "Daypass <shop@example.com>" });
  await transport.send({ ...message, to: "asha@example.com" });
  expect(received).toHaveLength(1);
  for (const part of [
    "From: Daypass <shop@example.com>",
    "To: asha@example.com",
    "Subject: Set a new password",
    "text/plain",
    "text/html",
  ])
    expect(received[0]).toContain(part);
});

test("an address with several recipients or headers adds no recipient", async () => {
  const { url, received } = await startMailServer();
  const transport = createSmtpTransport({ url, from: "shop@example.com" });
  await transport
    .send({ ...message, to: "asha@example.com, b@example.com\r\nBcc: c@example.com" })
    .catch(() => undefined);
  for (const mail of received) expect(mail).not.toMatch(/^Bcc:/m);
});

test("a refused recipient and an unreachable server are errors", async () => {
  const { url } = await startMailServer();
  const transport = createSmtpTransport({ url, from: "shop@example.com" });
  await expect(transport.send({ ...message, to: "a@nowhere.example" })).rejects.toThrow("550");
  const absent = createSmtpTransport({ url: "smtp://127.0.0.1:1", from: "shop@example.com" });
  await expect(absent.send({ ...message, to: "a@example.com" })).rejects.toThrow("ECONNREFUSED");
});

// Reaches the server above, but is not a loopback address by name.
const OTHER_HOST = "0.0.0.0";

test.each([
  "",
  "?ignoreTLS=true",
  "?requireTLS=false&opportunisticTLS=true",
])("credentials are not sent to another machine without TLS, also with the query '%s'", async (query) => {
  const { port, commands, received } = await startMailServer();
  const url = `smtp://shop%40example.com:hunter2@${OTHER_HOST}:${port}${query}`;
  const transport = createSmtpTransport({ url, from: "shop@example.com" });
  await expect(transport.send({ ...message, to: "a@example.com" })).rejects.toThrow("STARTTLS");
  expect(commands.at(-1)).toBe("STARTTLS");
  expect(commands.filter((line) => line.startsWith("AUTH"))).toEqual([]);
  expect(received).toEqual([]);
});

test.each(["127.0.0.1", "localhost"])("credentials are sent to a server on %s without TLS", async (host) => {
  const { port, commands, received } = await startMailServer();
  const transport = createSmtpTransport({
    url: `smtp://shop:hunter2@${host}:${port}`,
    from: "shop@example.com",
  });
  await transport.send({ ...message, to: "a@example.com" });
  expect(commands.some((line) => line.startsWith("AUTH PLAIN"))).toBe(true);
  expect(received).toHaveLength(1);
});

test("a mail without credentials is sent to another machine without TLS", async () => {
  const { port, received } = await startMailServer();
  const transport = createSmtpTransport({ url: `smtp://${OTHER_HOST}:${port}`, from: "shop@example.com" });
  await transport.send({ ...message, to: "a@example.com" });
  expect(received).toHaveLength(1);
});
