import { Form } from "react-router";
import { Button } from "../ui/button.tsx";
import { buttonClasses } from "../ui/button-classes.ts";
import { LinkButton } from "../ui/link-button.tsx";
import { useShared } from "../use-shared.ts";
import { Logo } from "./logo.tsx";

/** The shop's header. `onGetStarted` opens the sign-in dialog. */
export function SiteHeader({ onGetStarted }: { onGetStarted?: () => void }) {
  const { user, store } = useShared();
  return (
    <header className="sticky top-0 z-30 border-line border-b bg-paper/95">
      <div className="mx-auto flex h-16 max-w-page items-center justify-between gap-2 px-4 sm:px-6">
        <Logo name={store.name} short={user?.isAdmin ?? false} />
        <nav aria-label="Account" className="flex items-center gap-1 sm:gap-2">
          {user ? (
            <>
              {user.isAdmin ? (
                <LinkButton to="/admin" variant="quiet" size="small">
                  Admin
                </LinkButton>
              ) : null}
              <LinkButton to="/dashboard" size="small">
                Dashboard
              </LinkButton>
              <Form method="post" action="/auth/sign-out">
                <Button type="submit" variant="quiet" size="small">
                  Logout
                </Button>
              </Form>
            </>
          ) : (
            <>
              {store.supportChatUrl ? (
                <a
                  href={store.supportChatUrl}
                  target="_blank"
                  rel="noreferrer"
                  className={buttonClasses({ variant: "quiet", size: "small" })}
                >
                  Support
                </a>
              ) : null}
              <Button variant="strong" size="small" onClick={onGetStarted}>
                Get Started
              </Button>
            </>
          )}
        </nav>
      </div>
    </header>
  );
}
