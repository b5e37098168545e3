import { isIP } from "node:net";
import { z } from "zod";

// The formats of settings. Each message completes the sentence "<VARIABLE> …" and does not repeat the value.

export const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port number between 1 and 65535")
  .transform(Number)
  .refine((number) => number >= 1 && number <= 65_535, "must be a port number between 1 and 65535");

export const host = z.string().regex(/^[A-Za-z0-9.:_-]+$/, "must be a host name or an address");

export const origin = z
  .string()
  .refine(isOrigin, "must be an address such as https://shop.example.com, without a path");

/** Entries separated by commas; empty when unset. */
export const list = z
  .string()
  .transform((text) =>
    text
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ""),
  )
  .optional()
  .transform((entries) => entries ?? []);

export const addressRanges = list.refine(
  (entries) => entries.every(isAddressOrRange),
  "must be a comma list of IP addresses or ranges such as 10.0.0.0/8",
);

export const phones = list.refine(
  (entries) =>
    entries.every(
      (phone) => /^\+?[\d -]{7,20}$/.test(phone) && (phone.startsWith("+") || digitsOf(phone) > 10),
    ),
  "must be a comma list of phone numbers with country code, such as +91 98765 43210",
);

/** A number of India without its country code has ten, or eleven with a zero before it. */
const digitsOf = (phone: string) => phone.replace(/^0+|\D/g, "").length;

/** Zero or more. */
export const factor = z
  .string()
  .regex(/^\d+(\.\d+)?$/, "must be a number, 0 or more")
  .transform(Number);

export const flag = z
  .enum(["0", "1", "true", "false"], { error: "must be 1 or 0" })
  .transform((value) => value === "1" || value === "true");

export const databaseUrl = z
  .string()
  .refine(isDatabaseUrl, "must be an address such as postgres://user:password@host:5432/name")
  .transform(nameSslMode);

export const webAddress = z.url({ protocol: /^https?$/, error: "must be an http or https address" });

/** The keys are percent-encoded. The bucket may also be the first part of the host. */
export const s3Url = z
  .string()
  .refine(
    isS3Url,
    "must be an address such as https://key:secret@s3.example.com/bucket/folder?region=eu-central-1",
  )
  .transform((text) => {
    const { protocol, username, password, host, pathname, searchParams } = new URL(text);
    const place = `${host}${pathname}`.replace(/\/+$/, "");
    return {
      /** With bucket and folder, without the keys. */
      endpoint: `${protocol}//${place}`,
      /** The same, for people. */
      place,
      accessKeyId: decodeURIComponent(username),
      secretAccessKey: decodeURIComponent(password),
      region: searchParams.get("region") ?? "us-east-1",
    };
  });

export const webLink = z.url({ protocol: /^https?$/, error: "must be an http or https link" });

/** A link that pages of the shop can embed: their policy allows https only, and no unusual character in the host. */
export const embeddableLink = z.url({
  protocol: /^https$/,
  hostname: /^[a-z0-9.-]+$/,
  error: "must be a link that starts with https://",
});

export const smtpUrl = z.url({
  protocol: /^smtps?$/,
  error: "must be an address such as smtp://user:password@host:587",
});

/** @param length the least number of characters */
export const secret = (length: number) =>
  z.string().min(length, `must be at least ${length} characters long`);

export const bearerToken = z
  .string()
  .regex(/^[!-~]{16,}$/, "must be at least 16 characters long, without spaces");

export const timeZone = z.string().refine(isTimeZone, "must be a time zone such as Asia/Kolkata");

export const logLevel = z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
  error: "must be one of fatal, error, warn, info, debug, trace, silent",
});

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === "" && pathname === "/";
}

function isDatabaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, searchParams } = new URL(text);
  // The folder of a socket is given as ?host=/run/postgresql, with an empty host in the address itself.
  return /^postgres(ql)?:$/.test(protocol) && (hostname !== "" || searchParams.has("host"));
}

/** The driver treats these modes as verify-full, warns of them at every start, and will check less in a later version. */
const AS_VERIFY_FULL = ["prefer", "require", "verify-ca"];

function nameSslMode(text: string): string {
  const url = new URL(text);
  const { searchParams } = url;
  const isOfLibpq = searchParams.get("uselibpqcompat") === "true";
  if (isOfLibpq || !AS_VERIFY_FULL.includes(searchParams.get("sslmode") ?? "")) return text;
  searchParams.set("sslmode", "verify-full");
  return url.href;
}

function isAddressOrRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function isS3Url(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol) || username === "" || password === "") return false;
  try {
    return decodeURIComponent(username + password) !== "";
  } catch {
    return false;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format() !== "";
  } catch {
    return false;
  }
}

/** @param hostname of a URL: an IPv6 address has brackets */
export function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
