import { useShared } from "../use-shared.ts";
import { chatUrl } from "./chat-url.ts";

const LINK = "inline-flex min-h-11 items-center text-muted hover:text-ink sm:min-h-8";

/** The footer of a page: contact links and the copyright note. */
export function SiteFooter() {
  const { store, now, timeZone } = useShared();
  const year = new Intl.DateTimeFormat("en-GB", { year: "numeric", timeZone }).format(new Date(now));
  return (
    <footer className="border-line border-t">
      <div className="mx-auto flex max-w-page flex-col gap-4 px-4 pt-6 pb-24 sm:px-6 sm:pb-10">
        <div className="flex flex-wrap gap-x-6">
          {store.supportPhones.map(({ label, number }) => (
            <a key={number} href={chatUrl(number)} target="_blank" rel="noreferrer" className={LINK}>
              {label}
            </a>
          ))}
          {store.dealsChannel ? (
            <a href={store.dealsChannel.url} target="_blank" rel="noreferrer" className={LINK}>
              {store.dealsChannel.label}
            </a>
          ) : null}
        </div>
        <p className="max-w-prose text-muted text-xs">
          © {year} {store.name}. Names and marks of the tools belong to their owners.
        </p>
      </div>
    </footer>
  );
}
