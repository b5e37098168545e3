import type { ReactNode } from "react";
import { PAGE_TITLES } from "../../storefront/pages/page-titles.ts";

/**
 * What a person accepts by signing in. It links to the pages that the shop has.
 *
 * @param pages names of the shop's pages; others than terms and privacy are ignored
 */
export function TermsNote({ pages }: { pages: readonly string[] }) {
  const [terms, privacy] = (["terms", "privacy"] as const).map((page) =>
    pages.includes(page) ? <PageLink key={page} page={page} /> : null,
  );
  const accepted: ReactNode = terms && privacy ? [terms, " and ", privacy] : (terms ?? privacy ?? "terms");
  return (
    <p className="mt-1 text-center text-muted text-xs">
      By continuing, you accept our {accepted}. You’ll see the price and duration before you pay.
    </p>
  );
}

/** Opens beside the shop, so that the dialog stays. */
function PageLink({ page }: { page: "terms" | "privacy" }) {
  return (
    <a href={`/${page}`} target="_blank" rel="noreferrer" className="underline underline-offset-2">
      {PAGE_TITLES[page]}
    </a>
  );
}
