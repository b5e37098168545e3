import type { ReactNode } from "react";
import type { StoredProfile } from "#core/accounts/read-session-profile.server.ts";
import { formatDateTime } from "#core/time.ts";
import { ActiveBadge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DateText } from "../../ui/time/time-text.tsx";
import { useShared } from "../../use-shared.ts";
import { PROVIDER_NAMES } from "../provider-names.ts";

/** Everything that is stored in the profile of the signed-in account. */
export function OwnProfile({ profile }: { profile: StoredProfile }) {
  const { id, email, name, provider, role, isActive, createdAt, lastLogin } = profile;
  return (
    <section aria-labelledby="own-profile" className="flex flex-col gap-3">
      <h2 id="own-profile" className="text-lg">
        Your profile
      </h2>
      <Card className="px-5 py-2">
        <dl className="divide-y divide-line text-sm">
          <Fact name="User ID">
            <code className="break-all text-xs">{id}</code>
          </Fact>
          <Fact name="Email">
            <span className="break-all">{email}</span>
          </Fact>
          <Fact name="Display Name">{name || <span className="text-muted">Not set</span>}</Fact>
          <Fact name="Provider">{PROVIDER_NAMES[provider]}</Fact>
          <Fact name="Signup Date">
            <Moment date={createdAt} />
          </Fact>
          <Fact name="Last Login">
            {lastLogin === null ? <span className="text-muted">Never</span> : <Moment date={lastLogin} />}
          </Fact>
          <Fact name="Status">
            <ActiveBadge isActive={isActive} />
          </Fact>
          <Fact name="Role">{role === "admin" ? "Admin" : "Regular User"}</Fact>
        </dl>
      </Card>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[7.5rem_minmax(0,1fr)] items-baseline gap-x-4 py-2.5 sm:grid-cols-[9rem_minmax(0,1fr)]">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

function Moment({ date }: { date: Date }) {
  const { timeZone } = useShared();
  return <DateText date={date}>{formatDateTime(date, timeZone)}</DateText>;
}
