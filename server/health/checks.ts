import { existsSync } from "node:fs";
import { readKeyTexts } from "#adapters/cipher/key-file.ts";
import { emailAddress } from "#core/accounts/schemas.ts";
import {
  CHECK_NAMES,
  type CheckId,
  failed,
  type HealthCheck,
  type HealthReport,
  ok,
  runChecks,
  type Verdict,
  warning,
} from "#core/health/health-check.ts";
import { shopChecks } from "#core/health/shop-checks.server.ts";
import { acceptsTestPassesOf } from "#core/pass-validity.server.ts";
import type { Database } from "#db/database.ts";
import { ADMIN_EMAIL_INVALID, type Env, insecureAddresses, unreadSettings } from "../env.ts";
import { WEBHOOK_PATH } from "../http/paths.ts";
import { addressChecks } from "./address-checks.ts";
import { databaseChecks } from "./database-checks.ts";
import { folderChecks, MACHINE_CHECKS } from "./machine-checks.ts";
import { serviceChecks } from "./service-checks.ts";
import { healthKey } from "./signed-question.ts";

const ALL: readonly CheckId[] = Object.keys(CHECK_NAMES).filter((id): id is CheckId =>
  Object.hasOwn(CHECK_NAMES, id),
);

/**
 * All health checks of a shop.
 *
 * @param database the shop's database, or the verdict when it cannot be used
 */
export function checksOf(env: Env, database: Database | Verdict): HealthCheck[] {
  const found = { isShopHere: false, way: null };
  const readKey = async () => {
    // The checks of the folders and of the keys say why they cannot be read.
    const texts = await readKeyTexts(env, { mendsRights: false }).catch(() => null);
    return texts?.authSecret === undefined ? null : healthKey(texts.authSecret);
  };
  return inOrder([
    { id: "settings", run: () => judgeSettings(env) },
    ...MACHINE_CHECKS,
    ...folderChecks(env),
    ...("state" in database
      ? [{ id: "database" as const, run: () => database }]
      : [...databaseChecks(env, database), ...shopChecks(shopOf(env, database, found))]),
    ...addressChecks(env, found, readKey),
    ...serviceChecks(env),
  ]);
}

const CORRECT_SETTINGS =
  "Correct this line of the settings (/etc/daypass.env if you followed the README), and restart the shop.";

/** The checks when the settings cannot be read: only what needs no setting is checked. @param problem why, as a sentence */
export function checksWithoutSettings(problem: string): HealthCheck[] {
  const settings = () => failed(problem, CORRECT_SETTINGS);
  return inOrder([{ id: "settings", run: settings }, ...MACHINE_CHECKS], "settings");
}

/**
 * The checks in the order of the report. Each one that is missing is skipped in its place.
 *
 * @param reason the failed check because of which they are missing
 */
function inOrder(checks: readonly HealthCheck[], reason: CheckId = "database"): HealthCheck[] {
  return ALL.map(
    (id) =>
      checks.find((check) => check.id === id) ?? {
        id,
        needs: [reason],
        run: () => {
          throw new Error(`there is no check ${id}`);
        },
      },
  );
}

function judgeSettings(env: Env): Verdict {
  if (!emailAddress.safeParse(env.adminEmail).success) return failed(ADMIN_EMAIL_INVALID, CORRECT_SETTINGS);
  const problems = [...unreadSettings(), ...insecureAddresses(env)];
  if (problems.length === 0) return ok("The settings can be read.");
  return warning(problems.join(" "), "Correct these lines of the settings, and restart the shop.");
}

function shopOf(env: Env, db: Database, found: { isShopHere: boolean }) {
  const { razorpay, paymentGateway, backupNightly, databaseUrl } = env;
  const gateway = paymentGateway === "none" ? null : paymentGateway;
  const testMode = gateway === "sandbox" || (razorpay?.keyId.startsWith("rzp_test_") ?? false);
  return {
    db,
    now: () => new Date(),
    timeZone: env.storeTimeZone,
    gateway,
    includesTestMode: acceptsTestPassesOf(gateway === null ? null : { testMode }, env.origin),
    hasWebhookSecret: gateway === "sandbox" || (razorpay?.webhookSecrets.length ?? 0) > 0,
    webhookAddress: `${env.origin}${WEBHOOK_PATH}`,
    sendsMail: env.smtpUrl !== undefined,
    makesBackups: backupNightly,
    isShopHere: () => found.isShopHere,
    // The processes of a hosted database may be on other machines.
    isGone: (path: string) => databaseUrl === undefined && !existsSync(path),
  };
}

/** Makes a report of a shop. */
export const checkHealth = (env: Env, database: Database | Verdict): Promise<HealthReport> =>
  runChecks(checksOf(env, database), { now: () => new Date() });
