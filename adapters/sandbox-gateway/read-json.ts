import type { Context } from "hono";
import type { z } from "zod";
import { containsNul } from "#core/parse.ts";
import { SandboxApiError } from "./api-error.ts";

/**
 * Reads the JSON body of a request. The content type must be JSON, which a page of another site cannot send.
 *
 * @throws SandboxApiError naming the first invalid field
 */
export async function readJson<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema>> {
  if (!c.req.header("content-type")?.startsWith("application/json")) {
    throw new SandboxApiError("The request must be sent as application/json.");
  }
  const body: unknown = await c.req.json().catch(() => {
    throw new SandboxApiError("The request is not valid JSON.");
  });
  if (containsNul(body)) throw new SandboxApiError("The request is not valid.");
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join(".");
  throw new SandboxApiError(issue?.message ?? "The request is not valid.", field ? { field } : {});
}
