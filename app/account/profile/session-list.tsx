import Monitor from "lucide-react/icons/monitor";
import Smartphone from "lucide-react/icons/smartphone";
import type { MySession } from "#core/accounts/sessions/list-my-sessions.server.ts";
import { DateOnly, DateTime } from "../../date-time.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { VisuallyHidden } from "../../ui/screen-reader-text.tsx";
import { AccountForm, FormOutcome, useIsSending } from "./account-form.tsx";
import { type AccountResult, resultOf } from "./account-result.ts";

/** The browsers that are signed in to the account, this one first. */
export function SessionList(props: { sessions: readonly MySession[]; result: AccountResult | undefined }) {
  const { sessions, result } = props;
  const busy = useIsSending("end-others");
  return (
    <div className="flex flex-col gap-4">
      <FormOutcome result={resultOf(result, "end-session") ?? resultOf(result, "end-others")} />
      <Card className="overflow-hidden">
        <ul aria-label="Browsers" className="divide-y divide-line">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      </Card>
      {sessions.length > 1 ? (
        <AccountForm intent="end-others">
          <Button type="submit" busy={busy}>
            Sign Out All Other Browsers
          </Button>
        </AccountForm>
      ) : null}
    </div>
  );
}

function SessionRow({ session }: { session: MySession }) {
  const { id, browser, isCurrent, signedInAt } = session;
  const busy = useIsSending("end-session", { sessionId: id });
  const Icon = session.isHandheld ? Smartphone : Monitor;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <Icon aria-hidden="true" className="size-5 shrink-0 text-muted" />
      <div className="min-w-40 flex-1">
        <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold text-base tracking-normal">
          {browser}
          {isCurrent ? <Badge tone="green">This browser</Badge> : null}
        </h3>
        <p className="text-muted text-xs [&>span]:inline-block">
          <span>
            Signed in <DateOnly date={signedInAt} />
          </span>{" "}
          · <LastSeen session={session} />
        </p>
      </div>
      {isCurrent ? null : (
        <AccountForm intent="end-session">
          <input type="hidden" name="sessionId" value={id} />
          <Button type="submit" size="small" busy={busy}>
            Sign Out
            <VisuallyHidden> {browser}</VisuallyHidden>
          </Button>
        </AccountForm>
      )}
    </li>
  );
}

function LastSeen({ session }: { session: MySession }) {
  const { isCurrent, lastSeenAt } = session;
  if (isCurrent) return <span>In use now</span>;
  return (
    <span>
      Last used <DateTime date={lastSeenAt} />
    </span>
  );
}
