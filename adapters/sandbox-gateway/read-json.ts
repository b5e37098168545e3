import type { Context } from "hono";
import type { z } from "zod";
import { holdsNul } from "#core/parse.ts";
import { SandboxRefusal } from "./refusal.ts";

/**
 * The JSON body of a request. Only bodies sent as JSON are read: a page of another site cannot send one.
 *
 * @throws SandboxRefusal naming the first field that does not fit
 */
export async function readJson<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema>> {
  if (!c.req.header("content-type")?.startsWith("application/json")) {
    throw new SandboxRefusal("The request must be sent as application/json.");
  }
  const body: unknown = await c.req.json().catch(() => {
    throw new SandboxRefusal("The request is not valid JSON.");
  });
  if (holdsNul(body)) throw new SandboxRefusal("The request is not valid.");
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join(".");
  throw new SandboxRefusal(issue?.message ?? "The request is not valid.", field ? { field } : {});
}
