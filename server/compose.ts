import { createHmac, randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { createBetterAuthAuthenticator } from "#adapters/better-auth/better-auth-authenticator.ts";
import { createCipher } from "#adapters/cipher/cipher.ts";
import { type Keys, loadOrCreateKeys, readVaultKeyFile } from "#adapters/cipher/key-file.ts";
import { hasKeyFingerprints } from "#adapters/cipher/key-fingerprints.ts";
import { createImportFileDeletion } from "#adapters/import-folder/import-folder.ts";
import { createOpenIdProvider, GOOGLE_ISSUER } from "#adapters/openid/openid-provider.ts";
import { createPostgresLive, type PostgresLive } from "#adapters/postgres-live/postgres-live.ts";
import { createPostgresRateLimiter } from "#adapters/rate-limiter/postgres-rate-limiter.ts";
import { createRazorpayGateway } from "#adapters/razorpay/razorpay-gateway.ts";
import { createSandboxGateway } from "#adapters/sandbox-gateway/sandbox-gateway.ts";
import { createSmtpTransport } from "#adapters/smtp/smtp-transport.ts";
import { emailAddress } from "#core/accounts/schemas.ts";
import type { Context, Log, StoreConfig } from "#core/context.ts";
import type { MailTemplates } from "#core/mail/mail-templates.ts";
import type { PaymentGateway } from "#core/payments/payment-gateway.ts";
import type { Ports } from "#core/ports.ts";
import { limitKeyOfAddress } from "#core/rate-limits/network.ts";
import { systemClock } from "#core/time.ts";
import { type Database, openDatabase } from "#db/database.ts";
import { type DatabaseWatch, watchDatabase } from "#db/watch-database.ts";
import { createCommands } from "./commands.ts";
import { ADMIN_EMAIL_INVALID, ConfigurationError, type Env, internalAddress } from "./env.ts";
import { createHealth } from "./health/shared-health.ts";
import { followCatalogue } from "./http/page-cache.ts";
import { currentRequest } from "./http/request-scope.ts";
import { createJobRunner, JOBS, type JobRunner } from "./jobs.ts";
import type { OutageLog } from "./log.ts";

type SandboxGateway = ReturnType<typeof createSandboxGateway>;

/** The shop with an adapter for each of its ports. */
export interface Composition {
  keys: Keys;
  jobs: JobRunner;
  sandbox: SandboxGateway | null;
  db: Database;
  pool: Pool;
  databaseWatch: DatabaseWatch;
  live: PostgresLive;
  ports: Ports;
  systemContext(log?: Log): Context;
  contextOf(from: Pick<Context, "actor" | "log" | "requestId" | "browser">): Context;
  /** Calls `listener` whenever a database connection breaks. */
  onBrokenConnection(listener: () => void): void;
  close(): Promise<void>;
}

/** The library of the templates takes a tenth of the time of a start and much memory, so it is loaded for the first mail. */
const lazyMailTemplates: MailTemplates = {
  render: async (...mail) => (await loadMailTemplates()).render(...mail),
  renderExample: async (...mail) => (await loadMailTemplates()).renderExample(...mail),
};

async function loadMailTemplates(): Promise<MailTemplates> {
  return (await import("#adapters/mail-templates/react-mail-templates.tsx")).reactMailTemplates;
}

/**
 * Chooses an adapter for every port by the settings. Opens the pool and starts the database watch.
 *
 * @param options.replacesLostKeys makes new keys where the keys of this database are missing
 * @throws KeyError, ConfigurationError
 */
export async function compose(
  env: Env,
  databaseUrl: string,
  embedded: boolean,
  log: OutageLog,
  { replacesLostKeys = false } = {},
): Promise<Composition> {
  const { data: adminEmail } = emailAddress.safeParse(env.adminEmail);
  if (adminEmail === undefined) throw new ConfigurationError(ADMIN_EMAIL_INVALID);
  const live = createPostgresLive({ url: (!embedded && env.databaseDirectUrl) || databaseUrl, log });
  const listeners: (() => void)[] = [];
  const { db, pool, poolInterrupter, close } = openDatabase(databaseUrl, {
    onChanged: live.announce,
    // With a direct address beside it, this address belongs to a pooler.
    namesStatements: embedded || env.databaseDirectUrl === env.databaseUrl,
    onBrokenConnection: (error) => {
      log.warn({ err: error }, "a database connection broke");
      for (const listener of listeners) listener();
    },
  });
  const keys = await loadOrCreateKeys({
    authSecret: env.authSecret,
    vaultKeys: env.vaultKeys,
    dataDir: env.dataDir,
    mayGenerate: embedded || env.originIsLoopback,
    ...(!replacesLostKeys && { isUsed: () => hasKeyFingerprints(db) }),
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const databaseWatch = watchDatabase({
    url: databaseUrl,
    poolInterrupter,
    onDown: (reason) => {
      log.databaseDown(reason);
      for (const listener of listeners) listener();
    },
    onUp: log.databaseUp,
  });
  const { gateway, sandbox } = composeGateway(env, keys, db, log);
  const jobs = createJobRunner({
    db,
    run: async (name) => {
      await JOBS[name].run(systemContext());
    },
    log,
  });
  live.onAnnounce((topics) => {
    if (topics.includes("stock")) jobs.triggerSoon("tell-of-stock");
  });
  const commands = createCommands();
  const ports: Ports = {
    catalogueVersion: followCatalogue(live),
    authenticator: createBetterAuthAuthenticator({
      db,
      secret: keys.authSecret,
      origin: env.origin,
      trustedOrigins: [env.origin, ...env.extraOrigins],
      secureCookies: env.origin.startsWith("https:"),
      log,
      ...(env.limitsPerAddress > 0 && { clientOf: clientOfRequest }),
    }),
    cipher: createCipher(keys, env.vaultKeys.length > 0 ? undefined : () => readVaultKeyFile(env.dataDir)),
    commands,
    gateway,
    // Loaded when somebody asks for it.
    health: createHealth(async () => (await import("./health/checks.ts")).checkHealth(env, db), log),
    identityProvider: env.google
      ? createOpenIdProvider({
          ...env.google,
          authoritativeIssuer: GOOGLE_ISSUER,
          secret: keys.authSecret,
          secureCookies: env.origin.startsWith("https:"),
          log,
        })
      : null,
    deleteImportFiles: createImportFileDeletion(env.dataDir),
    jobs,
    mailTemplates: lazyMailTemplates,
    mailTransport: env.smtpUrl ? createSmtpTransport({ url: env.smtpUrl, from: env.mailFrom }) : null,
    rateLimiter: createPostgresRateLimiter({ pool, perAddressFactor: env.limitsPerAddress }),
  };
  const store: StoreConfig = {
    origin: env.origin,
    timeZone: env.storeTimeZone,
    adminEmail,
    supportPhones: env.supportPhones.length > 0 ? env.supportPhones : null,
    dealsChannelUrl: env.dealsChannelUrl ?? null,
    demoVideoUrl: env.demoVideoUrl ?? null,
    extensionStoreUrl: env.extensionStoreUrl ?? null,
    perAddressFactor: env.limitsPerAddress,
    backups: {
      isNightly: env.backupNightly,
      isEncrypted: env.backupPassphrase !== undefined,
      folder: env.backupFolder,
      copiesTo: env.backupS3?.place ?? null,
    },
  };
  const contextOf: Composition["contextOf"] = (from) => ({ db, clock: systemClock, ports, store, ...from });
  const systemContext: Composition["systemContext"] = (ownLog = log) =>
    contextOf({ actor: { kind: "system" }, log: ownLog, requestId: randomUUID() });
  const onBrokenConnection: Composition["onBrokenConnection"] = (listener) => void listeners.push(listener);
  return {
    keys,
    jobs,
    sandbox,
    db,
    pool,
    databaseWatch,
    live,
    ports,
    systemContext,
    contextOf,
    onBrokenConnection,
    close: async () => {
      await commands.stop();
      await live.stop();
      databaseWatch.stop();
      await close();
    },
  };
}

function composeGateway(
  env: Env,
  keys: Keys,
  db: Database,
  log: Log,
): { gateway: PaymentGateway | null; sandbox: SandboxGateway | null } {
  if (env.paymentGateway === "razorpay" && env.razorpay) {
    const gateway = createRazorpayGateway({
      name: "razorpay",
      checkoutScriptUrl: "https://checkout.razorpay.com/v1/checkout.js",
      ...env.razorpay,
      webhookSecrets: [...env.razorpay.webhookSecrets],
    });
    return { gateway, sandbox: null };
  }
  if (env.paymentGateway !== "sandbox") return { gateway: null, sandbox: null };
  const derive = (purpose: string) => createHmac("sha256", keys.authSecret).update(purpose).digest("hex");
  const keyId = "rzp_test_sandbox";
  const keySecret = derive("sandbox gateway key");
  const webhookSecret = derive("sandbox gateway webhooks");
  // The sandbox is a server that speaks Razorpay's protocol; the shop talks to it through the Razorpay adapter.
  const sandbox = createSandboxGateway({
    db,
    keyId,
    keySecret,
    webhookSecret,
    deliverTo: () => `${internalAddress(env)}/webhooks/razorpay`,
    log,
    clock: systemClock,
  });
  const gateway = createRazorpayGateway({
    name: "sandbox",
    apiUrl: `${internalAddress(env)}/sandbox-gateway`,
    keyId,
    keySecret,
    webhookSecrets: [webhookSecret],
    checkoutScriptUrl: "/sandbox-gateway/checkout.js",
  });
  return { gateway, sandbox };
}

/** Whoever the running code works for, as the limits count clients. */
function clientOfRequest(): string {
  return limitKeyOfAddress(currentRequest()?.address ?? "");
}
