/** More fields than any form has. Parsing takes time that grows with the square of their number. */
const MAX_FIELDS = 2_000;

/** A posted form; empty when it has too many fields. */
export function parseForm(body: string): URLSearchParams {
  return new URLSearchParams(body.split("&", MAX_FIELDS + 1).length > MAX_FIELDS ? "" : body);
}

/**
 * The fields of a posted form or JSON object; none when the body is neither. The operation validates them.
 * Multipart forms are not read: no page sends them, and parsing one takes time that grows faster than its length.
 */
export async function readBody(request: Request): Promise<Record<string, unknown>> {
  const type = request.headers.get("content-type") ?? "";
  if (type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(parseForm(await request.text()));
  const body = type.startsWith("application/json") ? await readJson(request) : undefined;
  return typeof body === "object" && body !== null ? Object.fromEntries(Object.entries(body)) : {};
}

/** The body as JSON, whatever its content type; undefined when it is not JSON. */
export async function readJson(request: Request): Promise<unknown> {
  return request.json().catch(() => undefined);
}
