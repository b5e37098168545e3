import { Form, useNavigation } from "react-router";
import type { LiveStatus } from "../../live/live-client.ts";
import { LiveIndicator } from "../../live/live-indicator.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { useShared } from "../../use-shared.ts";
import { AdminPages } from "./admin-tabs.tsx";

interface DashboardHeaderProps {
  title: string;
  live: LiveStatus;
  /** How many lines of the overview need the owner. */
  attention: number;
}

/** The first line of all admin pages: where one is, whether the page is live, and the ways out. */
export function DashboardHeader({ title, live, attention }: DashboardHeaderProps) {
  const { store, user } = useShared();
  const subtitle = `How ${store.name} is doing right now${user ? ` · signed in as ${user.email}` : ""}`;
  const busy = useNavigation().formData?.get("intent") === "sign-out";
  return (
    <div className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <h1 className="text-base leading-tight sm:text-lg">{title}</h1>
        <div className="flex min-w-0 gap-x-3">
          <LiveIndicator status={live} />
          <p title={subtitle} className="truncate text-muted text-xs">
            {subtitle}
          </p>
        </div>
      </div>
      <nav aria-label="Admin pages" className="max-lg:hidden">
        <AdminPages attention={attention} className="flex" />
      </nav>
      <LinkButton to="/" variant="quiet" size="small" className="max-sm:px-2">
        Shop
      </LinkButton>
      <Form method="post" action="/admin">
        <input type="hidden" name="intent" value="sign-out" />
        <Button type="submit" size="small" busy={busy} className="max-sm:px-2.5">
          Logout
        </Button>
      </Form>
    </div>
  );
}
