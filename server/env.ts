import { join, resolve } from "node:path";
import { isLoopback } from "./env/formats.ts";
import { type Settings, settings, variableOf } from "./env/settings.ts";

/** A setting is missing or wrong. The message is one sentence that names the variable, and never the value of a secret. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

export type PaymentGatewayName = "razorpay" | "sandbox" | "none";
export type LogLevel = Settings["logLevel"];

/** The address is read in the bundle (`emailAddress` in core/accounts). */
export const ADMIN_EMAIL_INVALID = "ADMIN_EMAIL must be an e-mail address.";

/** Settings whose value in `Env` follows from several of them. */
type DerivedSetting =
  | "origin"
  | "mailFrom"
  | "demo"
  | `backup${"Folder" | "Nightly" | "S3Url"}`
  | "paymentGateway"
  | `razorpay${string}`
  | `google${string}`;

/** Everything the shop reads from its environment, checked and with its defaults. A new setting goes into env/settings.ts. */
export type Env = Readonly<Omit<Settings, DerivedSetting>> & {
  /** Where visitors reach the shop: scheme, host and port, without a trailing slash. */
  readonly origin: string;
  readonly originIsLoopback: boolean;
  /** Further origins whose form posts are accepted; filled only when ORIGIN is unset. */
  readonly extraOrigins: readonly string[];
  readonly paymentGateway: PaymentGatewayName;
  readonly razorpay: RazorpayEnv | undefined;
  readonly google: GoogleEnv | undefined;
  readonly mailFrom: string;
  readonly demo: boolean;
  /** Absolute. */
  readonly backupFolder: string;
  readonly backupNightly: boolean;
  readonly backupS3: Settings["backupS3Url"];
};

export type RazorpayEnv = {
  readonly keyId: string;
  readonly keySecret: string;
  /** Two during a rotation; empty when no webhook is set up. */
  readonly webhookSecrets: readonly string[];
  /** Without a trailing slash. */
  readonly apiUrl: string;
};

export type GoogleEnv = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly discoveryUrl: string;
};

/**
 * Reads and checks the whole environment. An empty value counts as unset.
 *
 * @throws ConfigurationError one sentence that names the variable and repeats no value
 */
export function readEnv(source: NodeJS.ProcessEnv = process.env): Env {
  const values = readSettings(source);
  const origin = new URL(values.origin ?? `http://localhost:${values.port}`);
  const originIsLoopback = isLoopback(origin.hostname);
  if (values.databaseUrl !== undefined && !originIsLoopback) requireKeys(values);
  return {
    ...values,
    dataDir: resolve(values.dataDir),
    databaseDirectUrl: values.databaseDirectUrl ?? values.databaseUrl,
    origin: origin.origin,
    originIsLoopback,
    extraOrigins: values.origin === undefined ? [new URL(`http://127.0.0.1:${values.port}`).origin] : [],
    paymentGateway: chooseGateway(values, originIsLoopback),
    razorpay: readRazorpay(values),
    google: readGoogle(values),
    mailFrom: values.mailFrom ?? `no-reply@${origin.hostname}`,
    demo: values.demo ?? values.databaseUrl === undefined,
    backupFolder: resolve(values.backupFolder ?? join(values.dataDir, "backups")),
    backupNightly: values.backupNightly ?? values.databaseUrl === undefined,
    backupS3: values.backupS3Url,
  };
}

/** Variables of the shop that are no settings. */
const OTHERS = ["NODE_ENV", "NO_RESTART", "CHROMIUM_PATH", "TEST_DATABASE_URL"];
/** What only settings of the shop begin with. */
const OURS = /^(?:BACKUP|RAZORPAY|SANDBOX|VAULT)_/;
const MOST_MISTAKES = 2;

/** A sentence for each variable that looks like a setting and that nobody reads. It repeats no value. */
export function unreadSettings(source: NodeJS.ProcessEnv = process.env): string[] {
  const known = Object.keys(settings.shape).map(variableOf);
  return Object.keys(source).flatMap((name) => {
    if (known.includes(name) || OTHERS.includes(name) || !/^[A-Z0-9_]+$/.test(name)) return [];
    const near = known
      .map((one) => ({ one, mistakes: one.startsWith(name) ? 0 : countMistakes(name, one) }))
      .toSorted((a, b) => a.mistakes - b.mistakes)[0];
    // Short names are near to many.
    const isMisspelt = near !== undefined && near.mistakes <= MOST_MISTAKES && near.one.length >= 8;
    if (!isMisspelt && !OURS.test(name)) return [];
    return [`Nothing reads the setting ${name}. Did you mean ${near?.one}?`];
  });
}

/** A sentence for each address of the settings over which secrets would travel in plain text. */
export function insecureAddresses(
  env: Pick<Env, "razorpay" | "backupS3" | "databaseUrl" | "databaseDirectUrl">,
): string[] {
  const isRemote = (address: string) => !isLoopback(new URL(address).hostname);
  const { razorpay, backupS3, databaseUrl, databaseDirectUrl } = env;
  const plain = [
    ["RAZORPAY_API_URL", razorpay?.apiUrl],
    ["BACKUP_S3_URL", backupS3?.endpoint],
  ].flatMap(([name, address]) =>
    address?.startsWith("http:") && isRemote(address)
      ? [`${name} begins with http://, so its keys travel unencrypted: use https://.`]
      : [],
  );
  const databases = [
    ["DATABASE_URL", databaseUrl],
    ["DATABASE_DIRECT_URL", databaseDirectUrl === databaseUrl ? undefined : databaseDirectUrl],
  ].flatMap(([name, address]) => {
    if (address === undefined) return [];
    const { hostname, searchParams } = new URL(address);
    const isPlain = (searchParams.get("sslmode") ?? "disable") === "disable" && !searchParams.has("ssl");
    // An empty host is a socket.
    return hostname !== "" && isRemote(address) && isPlain
      ? [
          `${name} has no sslmode, so passwords and data travel unencrypted: add ?sslmode=verify-full unless the network is private.`,
        ]
      : [];
  });
  return [...plain, ...databases];
}

/** How many letters have to be added, removed or replaced. core/ is in the bundle, which is not loaded yet. */
function countMistakes(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function readSettings(source: NodeJS.ProcessEnv): Settings {
  const given = Object.keys(settings.shape).map((setting) => {
    const value = source[variableOf(setting)];
    return [setting, value?.trim() === "" ? undefined : value];
  });
  const parsed = settings.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const setting = issue?.path[0];
  throw new ConfigurationError(
    `${setting === undefined ? "The environment" : variableOf(String(setting))} ${issue?.message ?? "is not valid"}.`,
  );
}

/** Keys that are generated on one disk would differ between the machines of a hosted shop. */
function requireKeys(values: Settings): void {
  const missing =
    values.authSecret === undefined
      ? "AUTH_SECRET"
      : values.vaultKeys.length === 0
        ? "VAULT_KEYS"
        : undefined;
  if (missing === undefined) return;
  throw new ConfigurationError(
    `${missing} must be set when DATABASE_URL is set and ORIGIN is a public address.`,
  );
}

function chooseGateway(values: Settings, originIsLoopback: boolean): PaymentGatewayName {
  if (values.paymentGateway === "razorpay" && values.razorpayKeyId === undefined) {
    throw new ConfigurationError("RAZORPAY_KEY_ID must be set when PAYMENT_GATEWAY is razorpay.");
  }
  if (values.paymentGateway === "sandbox" && !originIsLoopback && !values.sandboxOnPublicOrigin) {
    throw new ConfigurationError(
      "SANDBOX_ON_PUBLIC_ORIGIN must be 1 when PAYMENT_GATEWAY is sandbox and ORIGIN is a public address, because test payments cost nothing and open real access codes.",
    );
  }
  if (values.paymentGateway !== undefined) return values.paymentGateway;
  if (values.razorpayKeyId !== undefined) return "razorpay";
  return originIsLoopback ? "sandbox" : "none";
}

function readRazorpay(values: Settings): RazorpayEnv | undefined {
  const { razorpayKeyId: keyId, razorpayKeySecret: keySecret } = values;
  if (keyId === undefined) return undefined;
  if (keySecret === undefined) {
    throw new ConfigurationError("RAZORPAY_KEY_SECRET must be set when RAZORPAY_KEY_ID is set.");
  }
  if (keySecret.startsWith("rzp_")) {
    throw new ConfigurationError(
      "RAZORPAY_KEY_SECRET must not begin with rzp_, as a key id does: exchange it with RAZORPAY_KEY_ID.",
    );
  }
  const apiUrl = values.razorpayApiUrl.replace(/\/+$/, "");
  return { keyId, keySecret, webhookSecrets: values.razorpayWebhookSecret, apiUrl };
}

function readGoogle(values: Settings): GoogleEnv | undefined {
  const { googleClientId: clientId, googleClientSecret: clientSecret } = values;
  if (clientId === undefined && clientSecret === undefined) return undefined;
  if (clientId === undefined || clientSecret === undefined) {
    const [missing, present] =
      clientId === undefined
        ? ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"]
        : ["GOOGLE_CLIENT_SECRET", "GOOGLE_CLIENT_ID"];
    throw new ConfigurationError(`${missing} must be set when ${present} is set.`);
  }
  const discovery = new URL(values.googleDiscoveryUrl);
  if (discovery.protocol !== "https:" && !isLoopback(discovery.hostname)) {
    throw new ConfigurationError(
      "GOOGLE_DISCOVERY_URL must begin with https:// unless it is a loopback address.",
    );
  }
  return { clientId, clientSecret, discoveryUrl: discovery.href };
}

/** The address of a shop from inside the machine; independent of its public address. */
export function internalAddress(env: Pick<Env, "host" | "port">): string {
  const host = env.host === "0.0.0.0" || env.host === "::" ? "127.0.0.1" : env.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${env.port}`;
}
