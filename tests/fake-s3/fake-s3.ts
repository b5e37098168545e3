import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/** S3 refuses a smaller part that is not the last one. */
const MINIMUM_PART_BYTES = 5 * 1024 * 1024;

export const S3_KEYS = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "s/ecret+with=signs" } as const;

interface Fault {
  /** Part of the method and address of a request, such as `PUT /bucket/`. */
  on: string;
  status: number;
  code: string;
  /** How many requests are answered like this. */
  times: number;
}

/**
 * A server with the part of the S3 protocol that an upload needs: objects, uploads in parts, and the size of an object. Every
 * request has to have a Signature Version 4, which is calculated here anew.
 */
export async function startFakeS3({ region = "eu-central-1" } = {}) {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, { path: string; parts: Map<number, Buffer> }>();
  const requests: string[] = [];
  const faults: Fault[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) =>
      send(response, 500, xmlError("InternalError", String(error))),
    );
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    const line = `${request.method} ${url.pathname}${url.search}`;
    requests.push(line);
    const problem = signatureProblem(request, url, region);
    if (problem !== null) return send(response, 403, xmlError("SignatureDoesNotMatch", problem));
    const fault = faults.find(({ on, times }) => times > 0 && line.includes(on));
    if (fault !== undefined) {
      fault.times -= 1;
      return send(response, fault.status, xmlError(fault.code, "as the test wants it"));
    }
    const uploadId = url.searchParams.get("uploadId");
    const path = url.pathname;
    if (request.method === "POST" && url.searchParams.has("uploads")) {
      const id = `upload-${uploads.size + 1}`;
      uploads.set(id, { path, parts: new Map() });
      return send(
        response,
        200,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (uploadId !== null) return answerUpload(request, response, url, uploadId, body);
    if (request.method === "PUT") {
      objects.set(path, body);
      response.setHeader("etag", etagOf(body));
      return send(response, 200, "");
    }
    const object = objects.get(path);
    if (object === undefined) return send(response, 404, xmlError("NoSuchKey", "there is no such object"));
    if (request.method !== "HEAD")
      return send(response, 405, xmlError("MethodNotAllowed", "not in this test"));
    response.writeHead(200, { "content-length": object.length, etag: etagOf(object) }).end();
  }

  function answerUpload(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    uploadId: string,
    body: Buffer,
  ): void {
    const upload = uploads.get(uploadId);
    if (upload?.path !== url.pathname)
      return send(response, 404, xmlError("NoSuchUpload", "there is no such upload"));
    if (request.method === "DELETE") {
      uploads.delete(uploadId);
      return send(response, 204, "");
    }
    if (request.method === "PUT") {
      upload.parts.set(Number(url.searchParams.get("partNumber")), body);
      response.setHeader("etag", etagOf(body));
      return send(response, 200, "");
    }
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>\s*<ETag>(.+?)<\/ETag>/g)];
    const parts = named.map(([, number, etag = ""]) => ({
      part: upload.parts.get(Number(number)),
      etag: etag.replaceAll(/&quot;|"/g, ""),
    }));
    const isRight = parts.every(({ part, etag }) => part !== undefined && etagOf(part) === `"${etag}"`);
    if (!isRight || parts.length !== upload.parts.size)
      return send(response, 400, xmlError("InvalidPart", "the parts are not those that were uploaded"));
    const contents = parts.flatMap(({ part }) => part ?? []);
    if (contents.slice(0, -1).some(({ length }) => length < MINIMUM_PART_BYTES))
      return send(response, 400, xmlError("EntityTooSmall", "a part is too small"));
    objects.set(upload.path, Buffer.concat(contents));
    uploads.delete(uploadId);
    send(
      response,
      200,
      `<CompleteMultipartUploadResult><Location>x</Location><Bucket>b</Bucket><Key>k</Key><ETag>"1-${parts.length}"</ETag></CompleteMultipartUploadResult>`,
    );
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the store has no port");
  const host = `127.0.0.1:${address.port}`;
  const { accessKeyId, secretAccessKey } = S3_KEYS;
  return {
    /** By path, such as `/bucket/folder/name`. */
    objects,
    /** The uploads that were neither completed nor given up. */
    uploads,
    /** Method and address of each request. */
    requests,
    faults,
    host,
    /** For BACKUP_S3_URL. */
    url: (path: string) =>
      `http://${accessKeyId}:${encodeURIComponent(secretAccessKey)}@${host}${path}?region=${region}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const etagOf = (body: Buffer) => `"${createHash("md5").update(body).digest("hex")}"`;
const xmlError = (code: string, message: string) =>
  `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, body === "" ? {} : { "content-type": "application/xml" }).end(body);
}

/** As "Authenticating Requests: Using the Authorization Header" of the S3 API describes it. */
function signatureProblem(request: IncomingMessage, url: URL, region: string): string | null {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? "",
    );
  if (given === null) return "there is no signature";
  const [, keyId, day = "", ofRegion = "", names = "", signature] = given;
  if (keyId !== S3_KEYS.accessKeyId || ofRegion !== region) return "another key or region";
  const signed = names.split(";");
  if (!signed.includes("host") || !signed.includes("x-amz-date")) return "host and date are not signed";
  const time = String(request.headers["x-amz-date"]);
  if (!time.startsWith(day)) return "another date";
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
  const headers = signed.map((name) => `${name}:${String(request.headers[name]).trim()}\n`).join("");
  const canonical = [
    request.method,
    url.pathname,
    query,
    headers,
    names,
    request.headers["x-amz-content-sha256"],
  ].join("\n");
  const scope = `${day}/${ofRegion}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [ofRegion, "s3", "aws4_request"].reduce<Buffer>(
    (last, part) => hmac(last, part),
    hmac(`AWS4${S3_KEYS.secretAccessKey}`, day),
  );
  return hmac(key, toSign).toString("hex") === signature ? null : "the signature is wrong";
}

const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
