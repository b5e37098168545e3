import { type BackupHealth, type BackupStep, formatBytes } from "#core/backups/backup-record.ts";
import { formatTimeLeft, MINUTE } from "#core/time.ts";
import { DateTime } from "../../time/date-time.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button, Spinner } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { useAdminAction } from "../forms/admin-action.tsx";
import { useReloadWhile } from "../use-reload-while.ts";
import { GroupCard } from "./settings-groups.tsx";

const NIGHTLY =
  "Your shop makes a backup every night and checks it by restoring it into a temporary database. It keeps one backup for each of the last 7 days and the last 4 weeks.";
const NOT_NIGHTLY =
  "Nightly backups are off. Set BACKUP_NIGHTLY=1 to turn them on. A backup that you make here is checked by restoring it into a temporary database.";
/** For this long after its start, the page says that the last backup has succeeded. */
const NEWS_MS = 10 * MINUTE;

/** How old the last verified backup is, where it is, and a button that makes one. */
export function Backups({ backups }: { backups: BackupHealth }) {
  const { state, isNightly, isOverdue } = backups;
  const isRunning = state === "running";
  useReloadWhile(isRunning);
  const start = useAdminAction();
  return (
    <GroupCard id="backups" text={isNightly ? NIGHTLY : NOT_NIGHTLY}>
      {isOverdue && !isRunning ? (
        <Banner tone="warning">There has been no verified backup for more than 48 hours.</Banner>
      ) : null}
      <LastAttempt backups={backups} />
      <LastVerified backups={backups} />
      {isRunning ? null : (
        <div>
          <Button
            variant={backups.verified === null ? "strong" : "plain"}
            busy={start.busy}
            onClick={() => start.run("back-up")}
          >
            Back Up Now
          </Button>
        </div>
      )}
    </GroupCard>
  );
}

const STEPS: Readonly<Record<BackupStep, string>> = {
  writing: "Writing the backup…",
  checking: "Checking the backup by restoring it into a temporary database…",
  copying: "The backup is verified. Copying it…",
};

function LastAttempt({ backups: { state, step, startedAt, failure, readAt } }: { backups: BackupHealth }) {
  switch (state) {
    case "running":
      return (
        <p role="status" className="flex items-center gap-2 text-sm">
          <Spinner />
          <span>
            <span>{STEPS[step]}</span>
            <span className="block text-muted text-xs">You can leave this page. The backup continues.</span>
          </span>
        </p>
      );
    case "failed":
      return <Banner tone="error">{`The last backup failed. ${failure?.message ?? ""}`}</Banner>;
    case "interrupted":
      return <Banner tone="warning">The last backup was interrupted before it finished.</Banner>;
    default: {
      const isNews = startedAt !== null && readAt.getTime() - Date.parse(startedAt) < NEWS_MS;
      return isNews ? <Banner tone="success">The backup is done and verified.</Banner> : null;
    }
  }
}

function LastVerified({ backups }: { backups: BackupHealth }) {
  const { verified, copy, copiesTo, folder, isEncrypted, readAt } = backups;
  return (
    <dl className="grid gap-x-8 gap-y-2 text-sm sm:grid-cols-2">
      <Fact name="Last verified backup">
        {verified === null ? (
          "None yet"
        ) : (
          <>
            <DateTime date={new Date(verified.at)} />{" "}
            <span className="text-muted">{`(${formatTimeLeft(readAt, new Date(verified.at))} ago)`}</span>
          </>
        )}
      </Fact>
      {verified === null ? (
        <Fact name="Folder">{folder}</Fact>
      ) : (
        <>
          <Fact name="Size">{formatBytes(verified.bytes)}</Fact>
          <Fact name="File on the server">{verified.path}</Fact>
          <Fact name="Encrypted">{verified.isEncrypted ? "Yes, with the keys" : "No, without the keys"}</Fact>
        </>
      )}
      {copiesTo === null ? null : (
        <Fact name="Copy" wide>
          {copy === null ? (
            `The next backup will be copied to ${copiesTo}`
          ) : copy.kind === "copied" ? (
            <>
              <span>{`${copy.to} `}</span>
              <span className="text-muted">(copied </span>
              <span className="text-muted">
                <DateTime date={new Date(copy.at)} />
                <span>)</span>
              </span>
            </>
          ) : (
            <span className="text-red">{copy.message}</span>
          )}
        </Fact>
      )}
      {isEncrypted ? null : (
        <Fact name="Encryption is off" wide>
          Set BACKUP_PASSPHRASE to encrypt your backups and to include the keys that open your access codes.
          Until then, keep a copy of those keys somewhere else.
        </Fact>
      )}
    </dl>
  );
}
