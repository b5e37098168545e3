/** The fields of a posted JSON object or form; none when the body is neither. The verb judges what is in them. */
export async function readBody(request: Request): Promise<Record<string, unknown>> {
  const type = request.headers.get("content-type") ?? "";
  try {
    const body: unknown = type.includes("form")
      ? Object.fromEntries(await request.formData())
      : await request.json();
    return typeof body === "object" && body !== null ? Object.fromEntries(Object.entries(body)) : {};
  } catch {
    return {};
  }
}
