import type { ReactNode } from "react";
import type { StoredProfile } from "#core/accounts/profile/read-session-profile.server.ts";
import { PROVIDER_NAMES } from "../admin/users/provider-names.ts";
import { DateTime } from "../date-time.tsx";
import { ActiveBadge } from "../ui/badge.tsx";
import { Card } from "../ui/card.tsx";

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
          <Row name="User ID">
            <code className="break-all text-xs">{id}</code>
          </Row>
          <Row name="Email">
            <span className="break-all">{email}</span>
          </Row>
          <Row name="Display Name">{name || <span className="text-muted">Not set</span>}</Row>
          <Row name="Provider">{PROVIDER_NAMES[provider]}</Row>
          <Row name="Signup Date">
            <DateTime date={createdAt} />
          </Row>
          <Row name="Last Login">
            {lastLogin === null ? <span className="text-muted">Never</span> : <DateTime date={lastLogin} />}
          </Row>
          <Row name="Status">
            <ActiveBadge isActive={isActive} />
          </Row>
          <Row name="Role">{role === "admin" ? "Admin" : "Regular User"}</Row>
        </dl>
      </Card>
    </section>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[7.5rem_minmax(0,1fr)] items-baseline gap-x-4 py-2.5 sm:grid-cols-[9rem_minmax(0,1fr)]">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}
