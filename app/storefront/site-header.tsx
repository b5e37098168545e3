import { Form } from "react-router";
import { pendingTool } from "../auth/pending-choice.ts";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { Button, LinkButton, NoScriptsLink } from "../ui/button.tsx";
import { buttonClasses, classNames } from "../ui/class-names.ts";
import { type Elements, t } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import { Logo } from "./logo.tsx";

/** Keeps a button on one line, and narrow enough to fit beside the logo on the narrowest phones. */
const NARROW = "whitespace-nowrap max-[23.5rem]:px-2";

interface SiteHeaderProps {
  /** On a page that keeps something else at the top of a phone's window. */
  scrollsAwayOnPhones?: boolean;
  /** On a page of the account: whose it is. */
  person?: Elements;
  accountLink?: Elements;
  /** On the dashboard, to which a phone has no room for a link. */
  isDashboard?: boolean;
}

/** The shop's header: sign-in for visitors, navigation for signed-in users. */
export function SiteHeader(props: SiteHeaderProps) {
  const { scrollsAwayOnPhones, person, accountLink, isDashboard } = props;
  const { user, store } = useShared();
  const { openSignIn } = useSignIn();
  const getStarted = () => {
    pendingTool.forget();
    openSignIn();
  };
  return (
    // With large text the header has several rows. It then scrolls away, because it would cover too much of the window.
    <header
      className={classNames(
        "z-30 border-line border-b bg-paper top-[min(0px,(20px-1rem)*1000)]",
        person ? "print:hidden" : scrollsAwayOnPhones ? "sm:sticky" : "sticky",
      )}
    >
      <div className="mx-auto flex min-h-16 max-w-page flex-wrap items-center justify-between gap-2 px-4 py-2 sm:px-6">
        <Logo name={store.name} short={user?.isAdmin ?? false} />
        {person}
        <nav aria-label={t("Account")} className="ml-auto flex flex-wrap items-center justify-end gap-2">
          {user ? (
            <>
              <LinkButton
                to="/dashboard"
                size="small"
                className={classNames(NARROW, isDashboard && "max-sm:hidden")}
              >
                {t("Dashboard")}
              </LinkButton>
              {accountLink}
              {user.isAdmin ? (
                <LinkButton to="/admin" variant="quiet" size="small" className={NARROW}>
                  {t("Admin")}
                </LinkButton>
              ) : null}
              <Form method="post" action="/auth/sign-out">
                <Button type="submit" variant="quiet" size="small" className={NARROW}>
                  {t(person ? "Sign Out" : "Logout")}
                </Button>
              </Form>
            </>
          ) : (
            <>
              <SignInLink />
              <Button variant="strong" size="small" className={NARROW} onClick={getStarted}>
                {t("Get Started")}
              </Button>
              {store.supportChatUrl ? (
                <a
                  href={store.supportChatUrl}
                  target="_blank"
                  rel="noreferrer"
                  className={buttonClasses({ variant: "quiet", size: "small" }, NARROW)}
                >
                  {t("Support")}
                </a>
              ) : null}
            </>
          )}
        </nav>
      </div>
    </header>
  );
}

/** In place of the button that opens the sign-in dialog: a browser without scripts gets a link to a page. */
function SignInLink() {
  return (
    <NoScriptsLink href="/sign-in" variant="strong" size="small">
      {t("Sign in")}
    </NoScriptsLink>
  );
}
