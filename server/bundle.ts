import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ViteDevServer } from "vite";
import { addCatalogue, followLanguage } from "#app/ui/texts/texts.ts";
import { findRunningSessions, resolveActor } from "#core/accounts/sessions.server.ts";
import { type FirstAdmin, findOtherAdmins, resetAdminPassword } from "#core/accounts/set-up-admin.server.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import { LANGUAGE_CODES } from "#languages/languages.ts";
import type { backUpAndPrint, restoreAndPrint } from "./backup-commands.ts";
import { compose } from "./compose.ts";
import type { printHealth } from "./doctor-command.ts";
import type { Env } from "./env.ts";
import { createAnswer, healthKey } from "./health/signed-question.ts";
import { type AppParts, createApp } from "./http/app.ts";
import { createClientAddresses } from "./http/client-address.ts";
import { mountDownloads, mountStaticFiles } from "./http/files.ts";
import { closeGracefully, createHttpServer, listen } from "./http/http-server.ts";
import { createLiveStreams } from "./http/live.ts";
import { createPageCache } from "./http/page-cache.ts";
import { createRenderer, createUploadCheck, tolerateUnknownActor } from "./http/pages.ts";
import { createRefusalLog } from "./http/refusals.ts";
import { currentRequest, endFailedRequest, requireRequest } from "./http/request-scope.ts";
import { mountShareImages } from "./http/share-images.ts";
import type { importShopAndPrint } from "./import-command.ts";
import { catchUp, catchUpAfterOutages } from "./jobs.ts";
import { createLog, createOutageLog, printLines } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { giveUpKeysAndPrint, rotateVaultAndPrint } from "./owner-commands.ts";
import { setUpStore } from "./set-up-store.ts";
import { type AskOwner, requireYes } from "./start/ask-owner.ts";
import { DatabaseLostError } from "./start/checks.ts";

const CATALOGUES = import.meta.glob<Readonly<Record<string, string>>>("/languages/*/screens.json", {
  eager: true,
  import: "default",
});

export interface RunningShop {
  /** Stops accepting requests, finishes those in progress, then closes the database connections. */
  stop(): Promise<void>;
}

/** Sets the store up, starts to listen and starts the jobs. Prints the address and the admin's sign-in. */
export async function startShop(options: {
  /** The folder of the code, with its build. */
  root: string;
  env: Env;
  databaseUrl: string;
  databaseDirectUrl: string;
  embedded: boolean;
  onReady(): void;
  onFatal(error: Error): void;
  /** Registers a handler for errors that no code handled. It returns true when the shop can continue. */
  handleUncaughtErrorsWith(handle: (error: unknown) => boolean): void;
  viteDevServer?: ViteDevServer;
}): Promise<RunningShop> {
  const { env, databaseUrl, viteDevServer } = options;
  const log = createOutageLog(createLog(env.logLevel));
  for (const language of LANGUAGE_CODES)
    addCatalogue(language, CATALOGUES[`/languages/${language}/screens.json`] ?? {});
  followLanguage(() => currentRequest()?.language ?? "en");
  const shop = await compose(env, databaseUrl, options.embedded, log);
  try {
    const admin = await setUpStore(env, shop, options.databaseDirectUrl);
    const liveStreams = createLiveStreams(shop.live, {
      findRunningSessions: (ids) => findRunningSessions(shop.systemContext(), ids),
    });
    const metrics = env.metricsToken ? createMetrics({ ...shop, liveStreams }) : null;
    options.handleUncaughtErrorsWith((error) => {
      const ended = endFailedRequest(error);
      if (ended) metrics?.countContainedFault();
      return ended;
    });
    const visitorContext: AppParts["visitorContext"] = (request, ipAddress, requestLog, requestId) =>
      shop.contextOf({
        actor: { kind: "visitor" },
        log: requestLog,
        requestId,
        browser: { headers: request.headers, ipAddress, language: requireRequest().language },
      });
    const development = viteDevServer !== undefined;
    // In development every page shows the latest code.
    const pageCache = development ? null : createPageCache(shop.ports.catalogueVersion);
    const parts: AppParts = {
      env,
      contextFor: tolerateUnknownActor(async (request, ipAddress, requestLog, requestId) => {
        const visitor = visitorContext(request, ipAddress, requestLog, requestId);
        const { actor, setCookies } = await resolveActor(visitor);
        return { ctx: { ...visitor, actor }, setCookies };
      }, visitorContext),
      visitorContext,
      render: createRenderer(viteDevServer, shop.databaseWatch),
      sandboxGateway: shop.sandbox?.app ?? null,
      liveStreams,
      systemContext: shop.systemContext,
      metrics,
      mountFiles: (target) => {
        if (!viteDevServer) mountStaticFiles(target, join(options.root, "build/client"));
        const pictures = viteDevServer ? "public" : "build/client";
        mountShareImages(target, visitorContext, join(options.root, pictures, "share.png"));
        mountDownloads(target, join(options.root, "build/extension"), env.origin);
      },
      pageCache,
      development,
    };
    const app = createApp(parts);
    const refusals = createRefusalLog(log);
    const addresses = createClientAddresses(env.trustedProxies);
    const server = createHttpServer({
      app,
      env,
      log,
      refusals,
      ...addresses,
      answerQuestion: createAnswer(healthKey(shop.keys.authSecret), addresses),
      observe: (request) => metrics?.observe(request),
      answerFromCache: pageCache?.answer,
      findUploadRefusal: createUploadCheck(env, parts),
      ...(viteDevServer && { middleware: viteDevServer.middlewares }),
    });
    const listeners = await listen(server, env);
    for (const listener of listeners) listener.on("error", options.onFatal);
    options.onReady();
    shop.live.start();
    shop.jobs.start();
    shop.sandbox?.startDelivery();
    const stopping = new AbortController();
    const caughtUp = catchUp(shop, log, stopping.signal);
    const stopCatchUp = catchUpAfterOutages(shop, log);
    announce(env, admin);
    return {
      stop: async () => {
        // Before the server closes, so that a delivery in progress still reaches it.
        stopCatchUp();
        stopping.abort();
        liveStreams.stop();
        await shop.sandbox?.stopDelivery();
        await closeGracefully(server, listeners);
        refusals.flush();
        await caughtUp;
        await shop.jobs.stop();
        await shop.close();
      },
    };
  } catch (error) {
    // Connections that the database has left may never end.
    await Promise.race([shop.close(), delay(CLOSE_LIMIT_MS, undefined, { ref: false })]);
    if (!isDatabaseUnavailable(error)) throw error;
    throw new DatabaseLostError("The database stopped answering while the shop was starting.", {
      cause: error,
    });
  }
}

const CLOSE_LIMIT_MS = 5_000;

/** Prints the address and the sign-in of the admin. */
function announce(env: Env, admin: FirstAdmin): void {
  const lines = [
    `Daypass is ready at ${env.origin}`,
    `Admin: ${env.origin}/admin/login with ${admin.email}`,
    ...(admin.generatedPassword
      ? [`Admin password (shown this once): ${admin.generatedPassword}`]
      : [admin.created ? "Admin password: the one in ADMIN_PASSWORD" : "Forgotten? npm run admin:reset"]),
    ...(env.smtpUrl ? [] : ["Mail is not set up: messages wait in the database until SMTP_URL is set."]),
    ...(env.paymentGateway === "sandbox" ? ["Payments are in test mode: no money moves."] : []),
    ...(env.paymentGateway === "none" ? ["Payments are not set up: see RAZORPAY_KEY_ID in the README."] : []),
  ];
  printLines(["", ...lines, ""]);
}

/**
 * Gives the account of ADMIN_EMAIL a new password and prints it. The owner runs it on the shop's machine, and is asked
 * before another account becomes an admin: the address may be mistyped.
 */
export async function resetAdmin(options: {
  env: Env;
  databaseUrl: string;
  databaseDirectUrl: string;
  embedded: boolean;
  askOwner: AskOwner;
}): Promise<void> {
  const { env, askOwner } = options;
  const shop = await compose(env, options.databaseUrl, options.embedded, createOutageLog(createLog("warn")));
  try {
    await setUpStore(env, shop, options.databaseDirectUrl);
    const { email: address, others } = await findOtherAdmins(shop.systemContext());
    if (others.length > 0) {
      await requireYes(askOwner, {
        question: `${address} is not an admin of this shop. Its admins are: ${others.join(", ")}. This makes ${address} another admin. To reset an existing admin's password, set ADMIN_EMAIL to that address.`,
        flag: "--make-admin",
      });
    }
    const { email, password } = await resetAdminPassword(shop.systemContext());
    printLines(["", `Admin: ${env.origin}/admin/login with ${email}`, `New password: ${password}`, ""]);
  } finally {
    await shop.close();
  }
}

/** The other tasks of the bundle that need the database and no server. */
export const rotateVault = rotateVaultAndPrint;
export const giveUpKeys = giveUpKeysAndPrint;
// A shop that starts does not load these.
export async function importShop(options: Parameters<typeof importShopAndPrint>[0]): Promise<void> {
  const command = await import("./import-command.ts");
  await command.importShopAndPrint(options);
}
export async function backUp(options: Parameters<typeof backUpAndPrint>[0]): Promise<void> {
  const commands = await import("./backup-commands.ts");
  await commands.backUpAndPrint(options);
}
export async function restore(options: Parameters<typeof restoreAndPrint>[0]): Promise<void> {
  const commands = await import("./backup-commands.ts");
  await commands.restoreAndPrint(options);
}
export async function doctor(options: Parameters<typeof printHealth>[0]): Promise<boolean> {
  const command = await import("./doctor-command.ts");
  return command.printHealth(options);
}
