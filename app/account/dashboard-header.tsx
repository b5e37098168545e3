import { Form } from "react-router";
import { Logo } from "../storefront/logo.tsx";
import { Button } from "../ui/button.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { useShared } from "../use-shared.ts";

/** Who is signed in, and the way out. */
export function DashboardHeader() {
  const { user, store } = useShared();
  const name = user?.displayName || user?.email;
  return (
    <header className="border-line border-b">
      <div className="mx-auto flex h-16 max-w-page items-center justify-between gap-3 px-4 sm:px-6">
        <Logo name={store.name} short />
        <div className="flex min-w-0 items-center gap-2 sm:gap-3">
          <span className="min-w-0 truncate text-muted" title={name}>
            {name}
          </span>
          {user?.isAdmin ? (
            <LinkButton to="/admin" variant="quiet" size="small">
              Admin
            </LinkButton>
          ) : null}
          <Form method="post" action="/auth/sign-out">
            <Button type="submit" size="small" className="whitespace-nowrap">
              Sign Out
            </Button>
          </Form>
        </div>
      </div>
    </header>
  );
}
