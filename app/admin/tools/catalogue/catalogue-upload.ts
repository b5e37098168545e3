/*
 * The body of an upload, for the browser that writes it and the server that reads it: a line of JSON with the other
 * fields, then the bytes of the file as they are. So no character of the file makes the body longer than the file.
 */

export const UPLOAD_TYPE = "application/vnd.daypass.catalogue";

export const CATALOGUE_PATH = "/admin/catalogue";

const LINE_END = "\n";

export function writeUpload(fields: object, file: Blob): Blob {
  return new Blob([JSON.stringify(fields), LINE_END, file], { type: UPLOAD_TYPE });
}

/** The fields with the text of the file as `file`; none when the body is no upload. The operation validates them. */
export function readUpload(body: Uint8Array): Record<string, unknown> {
  const lineEnd = body.indexOf(LINE_END.charCodeAt(0));
  if (lineEnd === -1) return {};
  const decoder = new TextDecoder();
  const fields = readJson(decoder.decode(body.subarray(0, lineEnd)));
  if (typeof fields !== "object" || fields === null) return {};
  return { ...fields, file: decoder.decode(body.subarray(lineEnd + 1)) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
