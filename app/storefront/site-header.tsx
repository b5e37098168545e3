import { Form } from "react-router";
import { pendingTool } from "../auth/pending-choice.ts";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { Button, LinkButton, NoScriptsLink } from "../ui/button.tsx";
import { buttonClasses, classNames } from "../ui/class-names.ts";
import { type Elements, t } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import { SEARCH_FIELD } from "./catalogue/catalogue-params.ts";
import { Icon, MESSAGE, SEARCH } from "./icons.tsx";
import { Logo } from "./logo.tsx";

/** Keeps a button on one line, and narrow enough to fit beside the logo on the narrowest phones. */
const NARROW = "whitespace-nowrap max-[23.5rem]:px-2";

/** On the page with the search a phone has room for the icon of a link only. */
const ICON_ON_PHONES = "max-sm:w-9 max-sm:px-0";

interface SiteHeaderProps {
  /** On a page that keeps something else at the top of a phone's window. */
  scrollsAwayOnPhones?: boolean;
  /** On a page with the search of the catalogue, to which a phone gets a link. */
  hasSearch?: boolean;
  /** On a page of the account: whose it is. */
  person?: Elements;
  accountLink?: Elements;
  /** On the dashboard, to which a phone has no room for a link. */
  isDashboard?: boolean;
}

/** The shop's header: sign-in for visitors, navigation for signed-in users. */
export function SiteHeader(props: SiteHeaderProps) {
  const { scrollsAwayOnPhones, hasSearch = false, person, accountLink, isDashboard } = props;
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
        <Logo name={store.name} short={user !== null && (hasSearch || user.isAdmin)} />
        {person}
        {hasSearch ? <SearchLink /> : null}
        <nav
          aria-label={t("Account")}
          className={classNames(
            "flex flex-wrap items-center justify-end gap-2",
            hasSearch ? "sm:ml-auto" : "ml-auto",
          )}
        >
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
              <Button variant="soft" size="small" className={NARROW} onClick={getStarted}>
                {t("Get Started")}
              </Button>
              {store.supportChatUrl ? (
                <a
                  href={store.supportChatUrl}
                  target="_blank"
                  rel="noreferrer"
                  className={buttonClasses(
                    { variant: "quiet", size: "small" },
                    hasSearch ? ICON_ON_PHONES : NARROW,
                  )}
                >
                  {hasSearch ? <Icon shape={MESSAGE} className="size-5 sm:hidden" /> : null}
                  <span className={hasSearch ? "max-sm:sr-only" : "contents"}>{t("Support")}</span>
                </a>
              ) : null}
            </>
          )}
        </nav>
      </div>
    </header>
  );
}

/** Leads a phone to the search. A browser without scripts follows the fragment. */
function SearchLink() {
  return (
    <a
      href={`#${SEARCH_FIELD}`}
      aria-label={t("Search tools")}
      onClick={(event) => {
        const field = document.getElementById(SEARCH_FIELD);
        if (field === null) return;
        event.preventDefault();
        field.focus({ preventScroll: true });
        field.closest("section")?.scrollIntoView();
      }}
      className={buttonClasses(
        { variant: "quiet", size: "small" },
        classNames(ICON_ON_PHONES, "ml-auto sm:hidden"),
      )}
    >
      <Icon shape={SEARCH} className="size-5" />
    </a>
  );
}

/** In place of the button that opens the sign-in dialog: a browser without scripts gets a link to a page. */
function SignInLink() {
  return (
    <NoScriptsLink href="/sign-in" variant="soft" size="small">
      {t("Sign in")}
    </NoScriptsLink>
  );
}
