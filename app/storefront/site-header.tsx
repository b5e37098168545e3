import { Form } from "react-router";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { Button } from "../ui/button.tsx";
import { buttonClasses } from "../ui/button-classes.ts";
import { LinkButton } from "../ui/link-button.tsx";
import { useShared } from "../use-shared.ts";
import { forgetChosenTool } from "./chosen-tool.ts";
import { Logo } from "./logo.tsx";

/** What fits beside the logo on the narrowest phones. */
const NARROW = "max-[22.5rem]:px-2";

/** The shop's header: the way in for visitors, the ways on for those who are signed in. */
export function SiteHeader() {
  const { user, store } = useShared();
  const { openSignIn } = useSignIn();
  const getStarted = () => {
    forgetChosenTool();
    openSignIn();
  };
  return (
    <header className="sticky top-0 z-30 border-line border-b bg-paper">
      <div className="mx-auto flex h-16 max-w-page items-center justify-between gap-2 px-4 sm:px-6">
        <Logo name={store.name} short={user?.isAdmin ?? false} />
        <nav
          aria-label="Account"
          className="flex items-center gap-1 whitespace-nowrap max-[22.5rem]:gap-0 sm:gap-2"
        >
          {user ? (
            <>
              {user.isAdmin ? (
                <LinkButton to="/admin" variant="quiet" size="small" className={NARROW}>
                  Admin
                </LinkButton>
              ) : null}
              <LinkButton to="/dashboard" size="small" className={NARROW}>
                Dashboard
              </LinkButton>
              <Form method="post" action="/auth/sign-out">
                <Button type="submit" variant="quiet" size="small" className={NARROW}>
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
                  className={buttonClasses({ variant: "quiet", size: "small" }, NARROW)}
                >
                  Support
                </a>
              ) : null}
              <Button variant="strong" size="small" className={NARROW} onClick={getStarted}>
                Get Started
              </Button>
            </>
          )}
        </nav>
      </div>
    </header>
  );
}
