import { z } from "zod";
import { SOMETHING_WENT_WRONG } from "../../../errors/error-messages.ts";
import { NO_RESPONSE } from "../../forms/admin-result.ts";
import { CATALOGUE_PATH, writeUpload } from "./catalogue-upload.ts";

/** What the catalogue file's address answers, and what happened when it did not. */
export type CatalogueAnswer =
  | { ok: true; value: unknown }
  | { ok: false; code: string; message: string; problems: readonly string[] };

export type DownloadAnswer =
  | { ok: true; file: Blob; name: string; leftOutAccessCodes: number }
  | Extract<CatalogueAnswer, { ok: false }>;

const OFFLINE = { ...NO_RESPONSE, problems: [] } as const;

const NOT_UNDERSTOOD = { ok: false, code: "failed", message: SOMETHING_WENT_WRONG, problems: [] } as const;

const successSchema = z.object({ ok: z.literal(true), value: z.unknown() });
/** The HTTP server's own refusals have only a code and a message. */
const refusalSchema = z.object({
  code: z.string(),
  message: z.string(),
  fields: z.record(z.string(), z.array(z.string())).default({}),
});

async function post(body: Blob): Promise<Response | null> {
  const headers = { "content-type": body.type, accept: "application/json" };
  return fetch(CATALOGUE_PATH, { method: "POST", headers, body }).catch(() => null);
}

async function readRefusal(response: Response): Promise<Extract<CatalogueAnswer, { ok: false }>> {
  const refusal = refusalSchema.safeParse(await response.json().catch(() => null));
  if (!refusal.success) return NOT_UNDERSTOOD;
  const { code, message, fields } = refusal.data;
  return { ok: false, code, message, problems: fields.file ?? [] };
}

/** Compares a file with the shop, or uploads it. */
export async function postCatalogueFile(
  fields: { intent: "preview" } | { intent: "apply"; fingerprint: string; stock: "keep" | "change" },
  file: Blob,
): Promise<CatalogueAnswer> {
  const response = await post(writeUpload(fields, file));
  if (response === null) return OFFLINE;
  if (!response.ok) return readRefusal(response);
  const success = successSchema.safeParse(await response.json().catch(() => null));
  return success.success ? success.data : NOT_UNDERSTOOD;
}

export async function requestCatalogueFile(includeSecrets: boolean): Promise<DownloadAnswer> {
  const body = JSON.stringify({ intent: "download", includeSecrets });
  const response = await post(new Blob([body], { type: "application/json" }));
  if (response === null) return OFFLINE;
  if (!response.ok) return readRefusal(response);
  const file = await response.blob().catch(() => null);
  if (file === null) return OFFLINE;
  const [, name = "catalogue.json"] =
    /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  const leftOutAccessCodes = Number(response.headers.get("x-left-out-access-codes") ?? 0);
  return { ok: true, file, name, leftOutAccessCodes };
}
