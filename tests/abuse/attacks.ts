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

const RESPONSE_TIMEOUT_MS = 60_000;
/** Longer than the shop takes for a response while it has this one client. */
const INCOMPLETE_AFTER_MS = 2_000;

/** Runs `work` for every item, at most `concurrency` in parallel. */
export async function forEachWithConcurrency<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const remaining = items.entries();
  const worker = async () => {
    for (const [index, item] of remaining) await work(item, index);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** When a client disconnects. */
const DISCONNECT_POINTS = [
  "after connecting",
  "within the request line",
  "within the headers",
  "within the body",
  "after the request",
  "a moment later",
  "after the first byte",
  "while it does not read",
] as const;

/** Requests every endpoint in every encoding and disconnects at every point. */
export async function disconnectAtEveryPoint(target: Target, endpoints: readonly Endpoint[]): Promise<void> {
  const attempts = endpoints.flatMap((endpoint) =>
    ["identity", "gzip", "br", "deflate"].flatMap((encoding) =>
      DISCONNECT_POINTS.map((point) => ({ endpoint, encoding, point })),
    ),
  );
  await forEachWithConcurrency(attempts, 8, async ({ endpoint, encoding, point }) => {
    const headers = { ...endpoint.headers, "accept-encoding": encoding };
    const text = requestText({ ...endpoint, headers });
    const client = await RawConnection.open(target);
    if (point === "within the request line") client.send(text.slice(0, 3));
    else if (point === "within the headers") client.send(text.slice(0, text.indexOf("\r\n\r\n") - 2));
    else if (point === "within the body") client.send(text.slice(0, -1));
    else if (point !== "after connecting") client.send(text);
    if (point === "while it does not read") client.stopReading();
    if (point === "a moment later") await delay(5);
    if (point === "after the first byte") await client.receivedBytes(1, RESPONSE_TIMEOUT_MS);
    client.reset();
  });
}

/**
 * Requests a page and disconnects after 0 to 30 ms, while it is rendered, compressed and sent.
 *
 * @returns how many connections the shop still accepted
 */
export async function disconnectDuringResponse(
  target: Target,
  options: { path: string; encoding: string; times: number },
): Promise<number> {
  const text = requestText({ path: options.path, headers: { "accept-encoding": options.encoding } });
  let accepted = 0;
  await forEachWithConcurrency(Array.from({ length: options.times }), 4, async (_, index) => {
    const client = await RawConnection.open(target).catch(() => null);
    if (client === null) return;
    accepted++;
    client.send(text);
    await delay(index % 31);
    client.reset();
  });
  return accepted;
}

/** Clients that send a part of a request and stop. They stay connected until the shop closes them. */
export async function openStalledConnections(target: Target, connections: number): Promise<RawConnection[]> {
  const starts = [
    "GET / HT",
    "GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ",
    "POST /auth/sign-in HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{",
    "POST /checkout/start HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
    "POST /extension/redeem HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer none\r\ncontent-length: 40\r\n\r\n{",
    `POST /webhooks/razorpay HTTP/1.1\r\nhost: localhost\r\nx-razorpay-signature: ${"0".repeat(64)}\r\ncontent-length: 9000\r\n\r\n{`,
  ];
  const opened = Array.from({ length: connections }, async (_, index) => {
    const client = await RawConnection.open(target);
    client.send(starts[index % starts.length] ?? "");
    return client;
  });
  return Promise.all(opened);
}

/** So many half-sent requests that they would use all connections of the shop, and no address more than its share. */
export async function stallFromManyAddresses(target: Target): Promise<RawConnection[]> {
  const clients: RawConnection[] = [];
  for (let address = 2; address <= 10; address++)
    clients.push(...(await openStalledConnections({ ...target, from: `127.0.0.${address}` }, 450)));
  return clients;
}

/** A visit on a connection of its own. `status` is null when the shop closed the connection. */
export async function visit(target: Target, path: string): Promise<{ ms: number; status: number | null }> {
  const began = performance.now();
  const client = await RawConnection.open(target);
  client.send(requestText({ path, headers: { connection: "close" } }));
  await client.closed(RESPONSE_TIMEOUT_MS);
  const [status = null] = client.received().statuses;
  client.reset();
  return { ms: performance.now() - began, status };
}

/** Requests pages that are not stored, each on a new connection, until the signal fires. */
export async function floodPages(target: Target, connections: number, signal: AbortSignal): Promise<void> {
  await forEachWithConcurrency(Array.from({ length: connections }), connections, async (_, index) => {
    while (!signal.aborted) await visit(target, `/?q=a${index}`).catch(() => delay(100));
  });
}

/**
 * Each connection sends its requests without waiting for responses. With `read`, waits until the shop has closed them.
 */
export async function pipelineRequests(
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
  if (options.read) await Promise.all(clients.map((client) => client.closed(RESPONSE_TIMEOUT_MS)));
  return clients;
}

/** The statuses of a malformed request; none when the shop closed the connection. */
export interface Outcome {
  request: MalformedRequest;
  statuses: number[];
}

/** Sends each request on its own connection, waits for the response, and reads until the shop closes the connection. */
export async function sendMalformed(
  target: Target,
  requests: readonly MalformedRequest[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await forEachWithConcurrency(requests, 24, async (request) => {
    const client = await RawConnection.open(target);
    client.send(Buffer.from(request.text, "latin1"));
    // The shop gives up a request when its client stops sending before the response. An incomplete request gets none.
    await client.receivedBytes(1, INCOMPLETE_AFTER_MS).catch(() => undefined);
    client.finishSending();
    await client.closed(RESPONSE_TIMEOUT_MS);
    outcomes.push({ request, statuses: client.received().statuses });
    client.reset();
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
  await forEachWithConcurrency(Array.from({ length: options.connections }), options.connections, async () => {
    while (performance.now() < until) {
      const client = await RawConnection.open(target).catch(() => null);
      if (client === null) return;
      while (performance.now() < until && !client.isClosed) {
        const before = client.received().bytes;
        client.send(text);
        await client.receivedBytes(before + 1, RESPONSE_TIMEOUT_MS).catch(() => undefined);
      }
      for (const status of client.received().statuses) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      client.reset();
    }
  });
  return statuses;
}
