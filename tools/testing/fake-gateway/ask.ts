import type { FakeGateway } from "./fake-gateway.ts";

export interface Told {
  status: number;
  // What the gateway answers is what these tests are about.
  body: Record<string, unknown>;
}

/** Asks the fake's API as a shop would, and hands over whatever it answers. Rejects when the connection is cut. */
export async function ask(
  gateway: Pick<FakeGateway, "url" | "keyId" | "keySecret">,
  line: `${"GET" | "POST"} /v1/${string}`,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Told> {
  const [method, path] = line.split(" ");
  const key = Buffer.from(`${gateway.keyId}:${gateway.keySecret}`).toString("base64");
  const response = await fetch(`${gateway.url}${path}`, {
    method: method ?? "GET",
    headers: { authorization: `Basic ${key}`, "content-type": "application/json", ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: await response.json() };
}

export async function orderAt(gateway: FakeGateway, amount = 14_900, receipt = "r-1"): Promise<string> {
  const { body } = await ask(gateway, "POST /v1/orders", { amount, currency: "INR", receipt });
  return String(body.id);
}
