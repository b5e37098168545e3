/**
 * The fields of a posted form or JSON object; none when the body is neither. The operation judges what is in them.
 * Multipart forms are not read: no page sends them, and reading one takes time that grows faster than its length.
 */
export async function readBody(request: Request): Promise<Record<string, unknown>> {
  const type = request.headers.get("content-type") ?? "";
  const text = await request.text();
  if (type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(text));
  const body = type.startsWith("application/json") ? parseJson(text) : null;
  return typeof body === "object" && body !== null ? Object.fromEntries(Object.entries(body)) : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
