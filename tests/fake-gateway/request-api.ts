import type { FakeGateway } from "./fake-gateway.ts";

export interface ApiResponse {
  status: number;
  // The tests check the body, so it has no narrower type.
  body: Record<string, unknown>;
}

/** Sends a request to the fake's API as a shop does. Rejects when the connection is cut. */
export async function requestApi(
  gateway: Pick<FakeGateway, "url" | "keyId" | "keySecret">,
  line: `${"GET" | "POST"} /v1/${string}`,
  body?: object,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const [method, path] = line.split(" ");
  const key = Buffer.from(`${gateway.keyId}:${gateway.keySecret}`).toString("base64");
  const response = await fetch(`${gateway.url}${path}`, {
    method: method ?? "GET",
    headers: { authorization: `Basic ${key}`, "content-type": "application/json", ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: await response.json() };
}

export async function createOrder(gateway: FakeGateway, amount = 14_900, receipt = "r-1"): Promise<string> {
  const { body } = await requestApi(gateway, "POST /v1/orders", { amount, currency: "INR", receipt });
  return String(body.id);
}
