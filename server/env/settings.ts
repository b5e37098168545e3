import { z } from "zod";
import * as formats from "./formats.ts";

/**
 * Every setting of the shop, with its format and its default. The environment variable of a setting is its name in capital
 * letters: `storeTimeZone` is STORE_TIME_ZONE. A setting without a default is optional. server/env.ts applies the rules
 * that concern several settings.
 */
export const settings = z.object({
  /** PORT: where the shop listens. */
  port: formats.port.default(3000),
  /** HOST: the address where the shop listens. */
  host: formats.host.default("127.0.0.1"),
  /** ORIGIN: where visitors reach the shop, as scheme, host and port. Unset: http://localhost with PORT. */
  origin: formats.origin.optional(),
  /** TRUSTED_PROXIES: addresses or CIDR ranges whose X-Forwarded-For is believed. */
  trustedProxies: formats.addressRanges,
  /** LIMITS_PER_ADDRESS: factor on every limit that counts per address; 0 turns them off. */
  limitsPerAddress: formats.factor.default(1),

  /** DATA_DIR: folder of the embedded database and the keys. */
  dataDir: z.string().default("data"),
  /** DATABASE_URL: unset: the embedded database is used. */
  databaseUrl: formats.databaseUrl.optional(),
  /** DATABASE_DIRECT_URL: for the set-up of the database and for live updates, past a pooler. Unset: DATABASE_URL. */
  databaseDirectUrl: formats.databaseUrl.optional(),

  /** ADMIN_EMAIL: the account of the first admin; core/ reads the address, in any form that a sign-in takes. */
  adminEmail: z
    .string()
    .regex(/[^\s@]@[^\s@.]+\.[^\s@]/, "must be an e-mail address")
    .default("admin@example.com"),
  /** ADMIN_PASSWORD: of the first admin. Unset: a password is generated. */
  adminPassword: formats.secret(12).optional(),
  /** AUTH_SECRET: signs the session cookies. Unset: generated and kept in DATA_DIR. */
  authSecret: formats.secret(32).optional(),
  /** VAULT_KEYS: the vault's keys, newest first; adapters/cipher parses the entries. Unset: generated and kept in DATA_DIR. */
  vaultKeys: formats.list,

  /** BACKUP_PASSPHRASE: encrypts backups, which then contain the keys. Unset: backups are not encrypted and have no keys. */
  backupPassphrase: formats.secret(12).optional(),
  /** BACKUP_FOLDER: where backups are written. Unset: the folder backups of DATA_DIR. */
  backupFolder: z.string().optional(),
  /** BACKUP_NIGHTLY: makes a backup every night. Unset: only of the embedded database. */
  backupNightly: formats.flag.optional(),
  /** BACKUP_S3_URL: the S3 store that gets a copy of every nightly backup. */
  backupS3Url: formats.s3Url.optional(),

  /** PAYMENT_GATEWAY: unset: Razorpay when its keys are set, else the sandbox on a loopback ORIGIN. */
  paymentGateway: z
    .enum(["razorpay", "sandbox", "none"], { error: "must be razorpay, sandbox or none" })
    .optional(),
  /** SANDBOX_ON_PUBLIC_ORIGIN: allows test payments on an ORIGIN that is not loopback, and through a proxy. */
  sandboxOnPublicOrigin: formats.flag.default(false),
  /** RAZORPAY_KEY_ID */
  razorpayKeyId: z
    .string()
    .regex(/^rzp_/, "must begin with rzp_live_ or rzp_test_, as the Razorpay dashboard shows it")
    .optional(),
  /** RAZORPAY_KEY_SECRET */
  razorpayKeySecret: z.string().optional(),
  /** RAZORPAY_WEBHOOK_SECRET: two during a rotation; empty when no webhook is set up. */
  razorpayWebhookSecret: formats.list,
  /** RAZORPAY_API_URL: for tests against a fake gateway. */
  razorpayApiUrl: formats.webAddress.default("https://api.razorpay.com"),

  /** GOOGLE_CLIENT_ID */
  googleClientId: z.string().optional(),
  /** GOOGLE_CLIENT_SECRET */
  googleClientSecret: z.string().optional(),
  /** GOOGLE_DISCOVERY_URL: the configuration of another OpenID provider in place of Google. */
  googleDiscoveryUrl: formats.webAddress.default(
    "https://accounts.google.com/.well-known/openid-configuration",
  ),

  /** SMTP_URL: the mail server. Unset: mail stays in the outbox. */
  smtpUrl: formats.smtpUrl.optional(),
  /** MAIL_FROM: the sender; without a name, the name of the shop. Unset: no-reply at the host of ORIGIN. */
  mailFrom: z.string().regex(/@/, "must contain an e-mail address").optional(),
  /** SUPPORT_PHONES: with country code; empty: the store's settings decide. */
  supportPhones: formats.phones,
  /** DEALS_CHANNEL_URL: unset: the store's settings decide. */
  dealsChannelUrl: formats.webLink.optional(),
  /** DEMO_VIDEO_URL: unset: the store's settings decide. */
  demoVideoUrl: formats.embeddableLink.optional(),
  /** EXTENSION_STORE_URL: where the owner has published the browser extension. Unset: buyers install the download. */
  extensionStoreUrl: formats.webLink.optional(),

  /** DEMO: seeds the demo catalogue into an empty database. Unset: only into the embedded database. */
  demo: formats.flag.optional(),
  /** STORE_TIME_ZONE: an IANA name. */
  storeTimeZone: formats.timeZone.default("Asia/Kolkata"),
  /** LOG_LEVEL */
  logLevel: formats.logLevel.default("info"),
  /** METRICS_TOKEN: opens /metrics to whoever sends it. Unset: there is no such page. */
  metricsToken: formats.bearerToken.optional(),
});

export type Settings = z.output<typeof settings>;

/** The environment variable of a setting. */
export function variableOf(setting: string): string {
  return setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
