import type { IncomingMessage, ServerResponse } from "node:http";

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Does nothing when the client has disconnected. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, { status, type: "application/json", text: JSON.stringify(body) });
}

export function sendText(
  response: ServerResponse,
  { status, type, text }: { status: number; type: string; text: string },
): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "content-type",
    "cache-control": "no-store",
  });
  response.end(text);
}
