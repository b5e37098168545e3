import { setTimeout as delay } from "node:timers/promises";
import type { Endpoint } from "./endpoints.ts";
import type { MalformedRequest } from "./malformed-requests.ts";
import { RawConnection, requestText } from "./raw-connection.ts";

/** Where the attacked shop listens, on this machine. */
export interface Target {
  port: number;
  /** The address that the clients come from, such as 127.0.0.7. */
  from?: string;
}

const ANSWER_WITHIN_MS = 60_000;

/** Does `work` for every item, at most `atOnce` at the same time. */
export async function forEachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const left = items.entries();
  const lane = async () => {
    for (const [index, item] of left) await work(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** At which point a client leaves. */
const LEAVING_POINTS = [
  "after connecting",
  "within the request line",
  "within the headers",
  "within the body",
  "after the request",
  "a moment later",
  "after the first byte",
  "while it does not read",
] as const;

/** Every kind of answer is asked for in every encoding, and left at every point. */
export async function leaveEverywhere(target: Target, endpoints: readonly Endpoint[]): Promise<void> {
  const attempts = endpoints.flatMap((endpoint) =>
    ["identity", "gzip", "br", "deflate"].flatMap((encoding) =>
      LEAVING_POINTS.map((point) => ({ endpoint, encoding, point })),
    ),
  );
  await forEachAtOnce(attempts, 8, async ({ endpoint, encoding, point }) => {
    const headers = { ...endpoint.headers, "accept-encoding": encoding };
    const text = requestText({ ...endpoint, headers });
    const client = await RawConnection.open(target);
    if (point === "within the request line") client.send(text.slice(0, 3));
    else if (point === "within the headers") client.send(text.slice(0, text.indexOf("\r\n\r\n") - 2));
    else if (point === "within the body") client.send(text.slice(0, -1));
    else if (point !== "after connecting") client.send(text);
    if (point === "while it does not read") client.stopReading();
    if (point === "a moment later") await delay(5);
    if (point === "after the first byte") await client.receivedBytes(1, ANSWER_WITHIN_MS);
    client.leave();
  });
}

/**
 * Asks for a page and leaves while it is made, compressed and sent: after 0 to 30 ms.
 *
 * @returns how many connections the shop still accepted
 */
export async function leaveWhileCompressed(
  target: Target,
  options: { path: string; encoding: string; times: number },
): Promise<number> {
  const text = requestText({ path: options.path, headers: { "accept-encoding": options.encoding } });
  let accepted = 0;
  await forEachAtOnce(Array.from({ length: options.times }), 4, async (_, index) => {
    const client = await RawConnection.open(target).catch(() => null);
    if (client === null) return;
    accepted++;
    client.send(text);
    await delay(index % 31);
    client.leave();
  });
  return accepted;
}

/** Clients that begin something and never go on; they stay until the shop closes them. */
export async function stall(target: Target, connections: number): Promise<RawConnection[]> {
  const starts = [
    "GET / HT",
    "GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ",
    "POST /auth/sign-in HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{",
    "POST /checkout/start HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
    `POST /webhooks/razorpay HTTP/1.1\r\nhost: localhost\r\nx-razorpay-signature: ${"0".repeat(64)}\r\ncontent-length: 9000\r\n\r\n{`,
  ];
  const opened = Array.from({ length: connections }, async (_, index) => {
    const client = await RawConnection.open(target);
    client.send(starts[index % starts.length] ?? "");
    return client;
  });
  return Promise.all(opened);
}

/** Each connection sends its requests without waiting for answers. Reading clients wait until the shop has closed them. */
export async function pipeline(
  target: Target,
  options: { connections: number; requests: number; path: string; read: boolean },
): Promise<RawConnection[]> {
  const text = requestText({ path: options.path, headers: { "accept-encoding": "identity" } });
  const clients = await Promise.all(
    Array.from({ length: options.connections }, () => RawConnection.open(target)),
  );
  for (const client of clients) {
    if (!options.read) client.stopReading();
    client.send(text.repeat(options.requests));
  }
  if (options.read) await Promise.all(clients.map((client) => client.closed(ANSWER_WITHIN_MS)));
  return clients;
}

/** What a malformed request led to: a status, or nothing because the shop closed the connection. */
export interface Outcome {
  request: MalformedRequest;
  statuses: number[];
}

/** Sends each request on a connection of its own and reads until the shop closes it or has nothing more to say. */
export async function sendMalformed(
  target: Target,
  requests: readonly MalformedRequest[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await forEachAtOnce(requests, 8, async (request) => {
    const client = await RawConnection.open(target);
    client.send(Buffer.from(request.text, "latin1"));
    // The shop closes the connection when it has read to the end, so no answer is missed.
    client.finishSending();
    await client.closed(ANSWER_WITHIN_MS);
    outcomes.push({ request, statuses: client.received().statuses });
    client.leave();
  });
  return outcomes;
}

/** Posts a webhook without pause on every connection until the time is up. @returns statuses by count */
export async function floodWebhook(
  target: Target,
  options: { connections: number; bodyBytes: number; signature: string; forMs: number },
): Promise<Map<number, number>> {
  const body = JSON.stringify({ junk: "x".repeat(options.bodyBytes) });
  const text = requestText({
    method: "POST",
    path: "/webhooks/razorpay",
    headers: { "content-type": "application/json", "x-razorpay-signature": options.signature },
    body,
  });
  const statuses = new Map<number, number>();
  const until = performance.now() + options.forMs;
  await forEachAtOnce(Array.from({ length: options.connections }), options.connections, async () => {
    while (performance.now() < until) {
      const client = await RawConnection.open(target).catch(() => null);
      if (client === null) return;
      while (performance.now() < until && !client.isClosed) {
        const before = client.received().bytes;
        client.send(text);
        await client.receivedBytes(before + 1, ANSWER_WITHIN_MS).catch(() => undefined);
      }
      for (const status of client.received().statuses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      client.leave();
    }
  });
  return statuses;
}
