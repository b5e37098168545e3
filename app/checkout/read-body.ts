/** The text fields of a posted JSON object or form; empty when the body is neither. The verb judges what is in them. */
export async function readBody(request: Request): Promise<Record<string, string>> {
  const type = request.headers.get("content-type") ?? "";
  try {
    const body: unknown = type.includes("form")
      ? Object.fromEntries(await request.formData())
      : await request.json();
    if (typeof body !== "object" || body === null) return {};
    return Object.fromEntries(
      Object.entries(body).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    );
  } catch {
    return {};
  }
}
