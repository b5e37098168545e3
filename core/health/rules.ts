import { DAY, formatDateTime, formatTimeLeft, HOUR, MINUTE, SECOND } from "../time.ts";
import { searchKey } from "../typed-text.ts";
import { failed, ok, quoted, type Verdict, warning } from "./health-check.ts";

const MB = 1_000_000;

/** "850 MB", "12.3 GB". */
const formatSize = (bytes: number) =>
  bytes < 1_000 * MB ? `${Math.floor(bytes / MB)} MB` : `${(bytes / (1_000 * MB)).toFixed(1)} GB`;

/** bin/node-runtime.mjs has the same rule. */
export function judgeNode(version: string): Verdict {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major >= 24 || (major === 22 && minor >= 22)) return ok(`The shop runs on Node ${version}.`);
  return failed(
    `This is Node ${version}. The shop needs Node 22 from 22.22 on, or Node 24 or newer.`,
    "Install Node 24, or start the shop with npm start, which downloads it.",
    "npm start",
  );
}

/** @param folders those that the shop writes to, with the free space of their disks */
export function judgeDisk(folders: readonly { path: string; freeBytes: number }[]): Verdict {
  const least = folders.toSorted((one, other) => one.freeBytes - other.freeBytes)[0];
  if (least === undefined) return ok("The shop writes to no disk of this machine.");
  const { path, freeBytes } = least;
  const free = `The disk of ${path} has ${formatSize(freeBytes)} of free space.`;
  const remedy = "Delete what is not needed, or get a larger disk. This shows what takes up the space:";
  const command = `du -xh --max-depth=2 ${quoted(path)} | sort -h | tail -20`;
  if (freeBytes < 300 * MB)
    return failed(`${free} A full disk stops the database, and with it every sale.`, remedy, command);
  if (freeBytes < 1_500 * MB) return warning(`${free} Backups and the database need room.`, remedy, command);
  return ok(free);
}

/** @param memory what is left for the shop, and what this machine, container or service may use altogether */
export function judgeMemory({
  availableBytes,
  limitBytes,
}: {
  availableBytes: number;
  limitBytes: number;
}): Verdict {
  const text = `${formatSize(availableBytes)} of ${formatSize(limitBytes)} of memory is available.`;
  const remedy = "End other programs on this machine, or get more memory. This shows what uses the most:";
  const command = "ps aux --sort=-rss | head";
  if (availableBytes < 50 * MB)
    return failed(`${text} The system may end the shop at any time.`, remedy, command);
  if (availableBytes < 150 * MB)
    return warning(
      `${text} The shop needs more during a backup, or when many buyers come at once.`,
      remedy,
      command,
    );
  return ok(text);
}

/** @param aheadMs how far the clock of this machine is ahead of the other one; negative: behind it */
export function judgeClock(aheadMs: number, other: "database" | "gateway"): Verdict {
  const off = Math.abs(aheadMs);
  if (off <= 5 * SECOND) return ok(`The clocks of this machine and the ${other} agree.`);
  const by = formatTimeLeft(new Date(off), new Date(0));
  const text = `The clock of this machine is ${by} ${aheadMs > 0 ? "ahead of" : "behind"} that of the ${other}. Passes, sign-ins and receipts get wrong times.`;
  const remedy = `Have this machine${other === "database" ? ", and that of the database," : ""} set the clock automatically:`;
  return (off > MINUTE ? failed : warning)(text, remedy, "sudo timedatectl set-ntp true");
}

/** @param times how long a few queries that read nothing took, in milliseconds */
export function judgeLatency(times: readonly number[]): Verdict {
  const median = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
  const text = `The database answers the simplest query in ${median < 1 ? "less than 1" : Math.round(median)} ms.`;
  const remedy =
    "Run the shop and its database in the same data centre, or look at the load of the database server.";
  if (median > 250) return failed(`${text} Pages take seconds, and buyers leave.`, remedy);
  if (median > 40) return warning(`${text} Every page needs several queries, so it is slow.`, remedy);
  return ok(text);
}

/** The oldest version of PostgreSQL that the shop works with. */
const OLDEST_POSTGRES = 15;

/**
 * @param version as the server reports it, such as 17.2
 * @param missing extensions that the shop needs and the database does not have
 */
export function judgePostgres(version: string, missing: readonly string[], isEmbedded: boolean): Verdict {
  const major = Number.parseInt(version, 10);
  const name = `PostgreSQL ${version}`;
  if (major < OLDEST_POSTGRES)
    return failed(
      `The database is ${name}. The shop needs ${OLDEST_POSTGRES} or newer.`,
      "Make a backup, set up a newer database, and restore the backup into it.",
      "npm run backup",
    );
  if (missing.length > 0)
    return failed(
      `${name} does not have ${missing.length === 1 ? "the extension" : "the extensions"} ${missing.join(" and ")}, which the shop needs.`,
      "Run this in the database, as a user who may create extensions:",
      missing.map((extension) => `CREATE EXTENSION IF NOT EXISTS ${extension};`).join(" "),
    );
  return ok(
    `${name}${isEmbedded ? ", which the shop runs itself" : ""}, with the extensions that the shop needs.`,
  );
}

const RENEW_DAYS = 14;

/** @param certificate `problem`: why browsers refuse it, when it has not expired; null: they accept it */
export function judgeCertificate(
  { host, validTo, problem }: { host: string; validTo: Date; problem: "name" | "untrusted" | null },
  now: Date,
): Verdict {
  const renew = "Renew the certificate at your proxy, and check that it does so by itself. With certbot:";
  const left = validTo.getTime() - now.getTime();
  const day = `${formatTimeLeft(left < 0 ? now : validTo, left < 0 ? validTo : now)}`;
  if (left < 0)
    return failed(
      `The certificate of ${host} expired ${day} ago. Browsers show a warning instead of your shop.`,
      renew,
      "sudo certbot renew",
    );
  if (problem === "name")
    return failed(
      `The certificate is for another name than ${host}. Browsers show a warning instead of your shop.`,
      "Get a certificate for this name. With certbot and nginx:",
      `sudo certbot --nginx -d ${host}`,
    );
  if (problem === "untrusted")
    return failed(
      `The certificate of ${host} is not from an authority that browsers trust, or its chain is incomplete.`,
      "Get a certificate from a public authority, and have the proxy send its whole chain (with certbot: fullchain.pem).",
    );
  if (left < RENEW_DAYS * DAY)
    return warning(`The certificate of ${host} expires in ${day}.`, renew, "sudo certbot renew");
  return ok(`The certificate of ${host} is valid for another ${day}.`);
}

/** A job that is due for longer than this counts as late. Each is due every minute, and a start takes some time. */
const LATE_MS = 5 * MINUTE;

export interface JobFacts {
  /** When each job is due. */
  due: readonly { name: string; at: Date }[];
  /** Whether the shop runs on this machine. false: it may run on another machine. */
  isShopHere: boolean;
  /** When the oldest webhook event that is not processed arrived; null: there is none. */
  oldestEventAt: Date | null;
  /** When the oldest due mail became due; null: there is none. */
  oldestMailAt: Date | null;
}

/**
 * Any process of the shop may run a job. So when all jobs are late, no process runs.
 *
 * @returns null: no job runs, because the shop does not run here
 */
export function judgeJobs(
  { due, isShopHere, oldestEventAt, oldestMailAt }: JobFacts,
  now: Date,
): Verdict | null {
  const late = due.filter(({ at }) => now.getTime() - at.getTime() > LATE_MS);
  const isIdle = late.length === due.length;
  if (isIdle && !isShopHere) return null;
  const restart = "Restart the shop. If it stays like this, its log says why.";
  const command = "sudo systemctl restart daypass";
  if (late.length > 0) {
    const names = late
      .slice(0, 4)
      .map(({ name }) => name)
      .join(", ");
    const since = late.reduce((least, { at }) => Math.min(least, at.getTime()), Number.POSITIVE_INFINITY);
    const more = late.length > 4 ? ` and ${late.length - 4} more` : "";
    const text = isIdle
      ? "No job has run"
      : `${late.length === 1 ? "The job" : "The jobs"} ${names}${more} ${late.length === 1 ? "has" : "have"} not run`;
    return failed(
      `${text} for ${formatTimeLeft(now, new Date(since))}. Mails, refunds and payments that arrive late may wait.`,
      restart,
      command,
    );
  }
  for (const [at, what] of [
    [oldestEventAt, "A webhook of the payment gateway"],
    [oldestMailAt, "An email"],
  ] as const)
    if (at !== null && now.getTime() - at.getTime() > LATE_MS * 2)
      return failed(
        `${what} has been waiting for ${formatTimeLeft(now, at)}, although the shop should have processed it.`,
        restart,
        command,
      );
  return ok("All jobs run on time.");
}

/** The webhook of a captured payment arrives within seconds. After this time it counts as missing. */
const WEBHOOK_WITHIN_MS = 15 * MINUTE;

export interface WebhookFacts {
  /** Whether the shop has a secret to check webhooks with. */
  hasSecret: boolean;
  /** When the last webhook arrived; null: none has. */
  lastHeardAt: Date | null;
  /** When the shop first heard of the last captured payment; null: there is none. */
  lastPaymentAt: Date | null;
  /** Where the gateway sends webhooks to. */
  address: string;
}

export function judgeWebhook(facts: WebhookFacts, now: Date, timeZone: string): Verdict {
  const { hasSecret, lastHeardAt, lastPaymentAt, address } = facts;
  const remedy = `In the Razorpay dashboard, open Webhooks and enter the address ${address} and the secret that RAZORPAY_WEBHOOK_SECRET has.`;
  if (!hasSecret)
    return warning(
      "No webhook is set up. A buyer who closes the browser while paying waits for the pass until the shop asks the gateway.",
      `${remedy} Then add this line to the settings and restart the shop:`,
      "RAZORPAY_WEBHOOK_SECRET=…",
    );
  const isMissing =
    lastPaymentAt !== null &&
    now.getTime() - lastPaymentAt.getTime() > WEBHOOK_WITHIN_MS &&
    (lastHeardAt === null || lastHeardAt.getTime() < lastPaymentAt.getTime() - WEBHOOK_WITHIN_MS);
  const heard =
    lastHeardAt === null
      ? "No webhook has arrived yet."
      : `The last webhook arrived on ${formatDateTime(lastHeardAt, timeZone)}.`;
  if (isMissing)
    return warning(
      `${heard} The payment of ${formatDateTime(lastPaymentAt, timeZone)} came without one. Buyers who close the browser wait for their pass.`,
      remedy,
    );
  return ok(lastHeardAt === null ? `${heard} It needs none before the first payment.` : heard);
}

export interface RefundFacts {
  /** Refunds that are requested or processing. */
  waiting: number;
  /** How many of them were requested more than a day ago. */
  overdue: number;
  failed: number;
  /** Whether they wait because the restored shop is unconfirmed. */
  isHeldBack: boolean;
}

export function judgeRefunds(facts: RefundFacts): Verdict {
  const count = (number: number) => `${number} ${number === 1 ? "refund" : "refunds"}`;
  if (facts.failed > 0)
    return failed(
      `${count(facts.failed)} failed at the gateway, so ${facts.failed === 1 ? "a buyer has not got the" : "buyers have not got their"} money back.`,
      "Refund by hand in the Razorpay dashboard. Overview in the admin area lists each refund, with the ID of its payment.",
    );
  if (facts.isHeldBack && facts.waiting > 0)
    return warning(
      `${count(facts.waiting)} will be made when an admin confirms that this restored shop is now the shop.`,
      "If it is, press “This is now the shop” in the admin area.",
    );
  if (facts.overdue > 0)
    return failed(
      `${count(facts.overdue)} ${facts.overdue === 1 ? "has" : "have"} been waiting for more than a day.`,
      "Look at the balance and the refunds in the Razorpay dashboard. The shop keeps asking the gateway.",
    );
  return ok(
    facts.waiting === 0 ? "No refund is waiting." : `${count(facts.waiting)} in progress, none for long.`,
  );
}

export interface DisputeFacts {
  /** Disputes that the shop has recorded in the last 60 days. */
  known: number;
  /** Webhooks about disputes that the shop still has. */
  heard: number;
  /** Why the last daily reading failed; null: it did not, or there was none. */
  problem: string | null;
}

export function judgeDisputes({ known, heard, problem }: DisputeFacts): Verdict {
  const remedy =
    "In the Razorpay dashboard, open Webhooks and select every event that begins with payment.dispute. Until then the shop hears of a dispute a day later.";
  if (problem !== null)
    return warning(
      `The disputes could not be read from the gateway. ${problem}`,
      "Look at your disputes in the Razorpay dashboard. The shop tries again every hour.",
    );
  if (heard > 0) return ok("Webhooks about disputes arrive.");
  if (known > 0) return warning("There are disputes, and no webhook about one has arrived.", remedy);
  return ok(
    "No webhook about a dispute has ever arrived, and there is none. The shop asks once a day as well.",
  );
}

/**
 * Names that older versions have stored and that look the same, or differ in capitals only.
 *
 * @param lists each with what it lists, and the names, which must differ
 */
export function judgeNames(lists: readonly (readonly [of: string, names: readonly string[]])[]): Verdict {
  const problems = lists.flatMap(([of, names]) => {
    const alike = [...Map.groupBy(names, searchKey).values()].filter((found) => found.length > 1);
    const counted = alike.map(([name, ...others]) => `${name} (${others.length + 1} times)`);
    return alike.length === 0 ? [] : [`These ${of} have names that look the same: ${counted.join(", ")}.`];
  });
  if (problems.length === 0) return ok("No two names look the same.");
  return warning(
    problems.join(" "),
    "Rename or delete all but one of each in the admin area, so that buyers and searches tell them apart.",
  );
}

export interface BackupFacts {
  isNightly: boolean;
  /** An admin has confirmed that the shop has a backup of another kind. */
  isElsewhere: boolean;
  /** No verified backup for 48 hours, although the shop makes one every night. */
  isOverdue: boolean;
  /** The last verified backup; null: there is none. `isGone`: its file was on this machine, and is missing. */
  verified: { at: Date; path: string; isGone: boolean } | null;
  /** The reason of the last failure after the verified backup; null: there was none. */
  failure: string | null;
  /** Why the last copy to the S3 store failed; null: it did not. */
  copyFailure: string | null;
}

export function judgeBackup(facts: BackupFacts, now: Date): Verdict {
  const { isNightly, isElsewhere, isOverdue, verified, failure, copyFailure } = facts;
  const remedy = "Make one now: Admin → Settings → Backups → Back Up Now, or run this:";
  const command = "npm run backup -- --nightly";
  const age = verified === null ? null : formatTimeLeft(now, verified.at);
  if (verified?.isGone)
    return failed(`The last verified backup, ${verified.path}, is gone from the disk.`, remedy, command);
  if (isOverdue)
    return failed(
      `${age === null ? "There is no verified backup." : `The last verified backup is ${age} old.`} ${failure ?? ""}`.trim(),
      remedy,
      command,
    );
  if (!isNightly && !isElsewhere && (verified === null || now.getTime() - verified.at.getTime() > 48 * HOUR))
    return warning(
      `Nightly backups are off, and ${age === null ? "there is no verified backup" : `the last one is ${age} old`}.`,
      `To have one every night, set BACKUP_NIGHTLY=1. If you back up in another way, confirm it in the admin area. ${remedy}`,
      command,
    );
  if (failure !== null) return warning(`The last backup failed. ${failure}`, remedy, command);
  if (copyFailure !== null)
    return warning(
      copyFailure,
      "Check BACKUP_S3_URL, then make a backup to try again: Admin → Settings → Backups → Back Up Now, or run this:",
      command,
    );
  if (age === null)
    return ok(
      isElsewhere ? "You back up the shop in another way." : "The shop will make its first backup tonight.",
    );
  return ok(`The last verified backup is ${age} old.`);
}
