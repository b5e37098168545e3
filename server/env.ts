import { isIP } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";

/** A setting is missing or wrong. The message is one sentence that names the variable, never its value when secret. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

export type PaymentGatewayName = "razorpay" | "sandbox" | "none";
export type LogLevel = z.infer<typeof logLevel>;

/** Everything the product takes from its environment, checked and with defaults filled in. */
export type Env = {
  readonly port: number;
  readonly host: string;
  /** Where visitors reach the shop: scheme, host and port, without a trailing slash. */
  readonly origin: string;
  readonly originIsLoopback: boolean;
  /** Further origins whose form posts are accepted; filled only when ORIGIN is unset. */
  readonly extraOrigins: readonly string[];
  /** Addresses or CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Factor on every per-address limit; 0 turns them off. */
  readonly limitsPerAddress: number;
  /** Absolute path. */
  readonly dataDir: string;
  /** Unset: the embedded database is used. */
  readonly databaseUrl: string | undefined;
  /** Sets the database up; bypasses the pooler where databaseUrl is one. The same as databaseUrl otherwise. */
  readonly databaseDirectUrl: string | undefined;
  readonly adminEmail: string;
  readonly adminPassword: string | undefined;
  readonly authSecret: string | undefined;
  /** Raw entries, newest first; the cipher knows their form. */
  readonly vaultKeys: readonly string[];
  readonly paymentGateway: PaymentGatewayName;
  readonly razorpay: RazorpayEnv | undefined;
  readonly google: GoogleEnv | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  readonly supportPhones: readonly string[];
  readonly dealsChannelUrl: string | undefined;
  readonly demoVideoUrl: string | undefined;
  /** Seed the demo catalogue into an empty database. */
  readonly demo: boolean;
  readonly logLevel: LogLevel;
  /** Opens /metrics to who knows it; unset, there is no such page. */
  readonly metricsToken: string | undefined;
  /** IANA name. */
  readonly storeTimeZone: string;
};

export type RazorpayEnv = {
  readonly keyId: string;
  readonly keySecret: string;
  /** Two during a rotation; empty when no webhook is set up. */
  readonly webhookSecrets: readonly string[];
  readonly apiUrl: string;
};

export type GoogleEnv = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly discoveryUrl: string;
};

const logLevel = z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
  error: "must be one of fatal, error, warn, info, debug, trace, silent",
});

// Every message completes the sentence "<VARIABLE> …", so none repeats the value it refuses.
const list = z.string().transform((text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ""),
);
const optionalList = list.optional().transform((entries) => entries ?? []);
const webUrl = (message: string) => z.url({ protocol: /^https?$/, error: message });
const databaseUrl = z
  .string()
  .refine(isDatabaseUrl, "must be an address such as postgres://user:password@host:5432/name");
const flag = z
  .enum(["0", "1", "true", "false"], { error: "must be 1 or 0" })
  .transform((on) => on === "1" || on === "true");

const variables = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, "must be a port number between 1 and 65535")
    .transform(Number)
    .refine((port) => port >= 1 && port <= 65_535, "must be a port number between 1 and 65535")
    .default(3000),
  HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, "must be a host name or an address")
    .default("127.0.0.1"),
  ORIGIN: z
    .string()
    .refine(isOrigin, "must be an address such as https://shop.example.com, without a path")
    .optional(),
  TRUSTED_PROXIES: optionalList.refine(
    (entries) => entries.every(isAddressOrRange),
    "must be a comma list of IP addresses or ranges such as 10.0.0.0/8",
  ),
  LIMITS_PER_ADDRESS: z
    .string()
    .regex(/^\d+(\.\d+)?$/, "must be a number, 0 or more")
    .transform(Number)
    .default(1),
  DATA_DIR: z.string().default("data"),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  ADMIN_EMAIL: z.email("must be an e-mail address").toLowerCase().default("admin@example.com"),
  ADMIN_PASSWORD: z.string().min(12, "must be at least 12 characters long").optional(),
  AUTH_SECRET: z.string().min(32, "must be at least 32 characters long").optional(),
  VAULT_KEYS: optionalList,
  PAYMENT_GATEWAY: z
    .enum(["razorpay", "sandbox", "none"], { error: "must be razorpay, sandbox or none" })
    .optional(),
  SANDBOX_ON_PUBLIC_ORIGIN: flag.default(false),
  RAZORPAY_KEY_ID: z.string().optional(),
  RAZORPAY_KEY_SECRET: z.string().optional(),
  RAZORPAY_WEBHOOK_SECRET: optionalList,
  RAZORPAY_API_URL: webUrl("must be an http or https address").default("https://api.razorpay.com"),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GOOGLE_DISCOVERY_URL: webUrl("must be an http or https address").default(
    "https://accounts.google.com/.well-known/openid-configuration",
  ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: "must be an address such as smtp://user:password@host:587" })
    .optional(),
  MAIL_FROM: z.string().regex(/@/, "must contain an e-mail address").optional(),
  SUPPORT_PHONES: optionalList.refine(
    (phones) => phones.every((phone) => /^\+?[\d -]{7,20}$/.test(phone)),
    "must be a comma list of phone numbers with country code",
  ),
  DEALS_CHANNEL_URL: webUrl("must be an http or https link").optional(),
  DEMO_VIDEO_URL: webUrl("must be an http or https link").optional(),
  DEMO: flag.optional(),
  LOG_LEVEL: logLevel.default("info"),
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,}$/, "must be at least 16 characters long, without spaces")
    .optional(),
  STORE_TIME_ZONE: z
    .string()
    .refine(isTimeZone, "must be a time zone such as Asia/Kolkata")
    .default("Asia/Kolkata"),
});

type Variables = z.output<typeof variables>;

/**
 * Reads and checks the whole environment; an empty value counts as unset.
 * @throws ConfigurationError one sentence that names the variable and repeats no value
 */
export function readEnv(source: NodeJS.ProcessEnv = process.env): Env {
  const given = Object.entries(source).filter(([, value]) => value !== undefined && value.trim() !== "");
  const parsed = variables.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigurationError(
      `${String(issue?.path[0] ?? "The environment")} ${issue?.message ?? "is not valid"}.`,
    );
  }
  const values = parsed.data;
  const origin = new URL(values.ORIGIN ?? `http://localhost:${values.PORT}`);
  const originIsLoopback = isLoopback(origin.hostname);
  if (values.DATABASE_URL !== undefined && !originIsLoopback) requireKeys(values);
  return {
    port: values.PORT,
    host: values.HOST,
    origin: origin.origin,
    originIsLoopback,
    extraOrigins: values.ORIGIN === undefined ? [new URL(`http://127.0.0.1:${values.PORT}`).origin] : [],
    trustedProxies: values.TRUSTED_PROXIES,
    limitsPerAddress: values.LIMITS_PER_ADDRESS,
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
    adminEmail: values.ADMIN_EMAIL,
    adminPassword: values.ADMIN_PASSWORD,
    authSecret: values.AUTH_SECRET,
    vaultKeys: values.VAULT_KEYS,
    paymentGateway: chooseGateway(values, originIsLoopback),
    razorpay: readRazorpay(values),
    google: readGoogle(values),
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? `Daypass <no-reply@${origin.hostname}>`,
    supportPhones: values.SUPPORT_PHONES,
    dealsChannelUrl: values.DEALS_CHANNEL_URL,
    demoVideoUrl: values.DEMO_VIDEO_URL,
    demo: values.DEMO ?? values.DATABASE_URL === undefined,
    logLevel: values.LOG_LEVEL,
    metricsToken: values.METRICS_TOKEN,
    storeTimeZone: values.STORE_TIME_ZONE,
  };
}

/** Keys made on one machine's disk would silently differ between the machines of a hosted shop. */
function requireKeys(values: Variables): void {
  const missing =
    values.AUTH_SECRET === undefined
      ? "AUTH_SECRET"
      : values.VAULT_KEYS.length === 0
        ? "VAULT_KEYS"
        : undefined;
  if (missing === undefined) return;
  throw new ConfigurationError(
    `${missing} must be set when DATABASE_URL is set and ORIGIN is a public address.`,
  );
}

function chooseGateway(values: Variables, originIsLoopback: boolean): PaymentGatewayName {
  if (values.PAYMENT_GATEWAY === "razorpay" && values.RAZORPAY_KEY_ID === undefined) {
    throw new ConfigurationError("RAZORPAY_KEY_ID must be set when PAYMENT_GATEWAY is razorpay.");
  }
  if (values.PAYMENT_GATEWAY === "sandbox" && !originIsLoopback && !values.SANDBOX_ON_PUBLIC_ORIGIN) {
    throw new ConfigurationError(
      "SANDBOX_ON_PUBLIC_ORIGIN must be 1 when PAYMENT_GATEWAY is sandbox and ORIGIN is a public address, because test payments cost nothing and open real access codes.",
    );
  }
  if (values.PAYMENT_GATEWAY !== undefined) return values.PAYMENT_GATEWAY;
  if (values.RAZORPAY_KEY_ID !== undefined) return "razorpay";
  return originIsLoopback ? "sandbox" : "none";
}

function readRazorpay(values: Variables): RazorpayEnv | undefined {
  const { RAZORPAY_KEY_ID: keyId, RAZORPAY_KEY_SECRET: keySecret } = values;
  if (keyId === undefined) return undefined;
  if (keySecret === undefined) {
    throw new ConfigurationError("RAZORPAY_KEY_SECRET must be set when RAZORPAY_KEY_ID is set.");
  }
  const apiUrl = values.RAZORPAY_API_URL.replace(/\/+$/, "");
  return { keyId, keySecret, webhookSecrets: values.RAZORPAY_WEBHOOK_SECRET, apiUrl };
}

function readGoogle(values: Variables): GoogleEnv | undefined {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = values;
  if (clientId === undefined && clientSecret === undefined) return undefined;
  if (clientId === undefined || clientSecret === undefined) {
    const [missing, present] =
      clientId === undefined
        ? ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"]
        : ["GOOGLE_CLIENT_SECRET", "GOOGLE_CLIENT_ID"];
    throw new ConfigurationError(`${missing} must be set when ${present} is set.`);
  }
  return { clientId, clientSecret, discoveryUrl: values.GOOGLE_DISCOVERY_URL };
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === "" && pathname === "/";
}

function isDatabaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, searchParams } = new URL(text);
  // A socket folder is given as ?host=/run/postgresql, with an empty host in the address itself.
  return /^postgres(ql)?:$/.test(protocol) && (hostname !== "" || searchParams.has("host"));
}

function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}

function isAddressOrRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format() !== "";
  } catch {
    return false;
  }
}
