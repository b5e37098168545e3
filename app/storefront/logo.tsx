import { Link } from "react-router";

/** The ticket of the mark that the shop and its extension share, in a box of 32. */
export const TICKET_SHAPE =
  "M6 5h20a3 3 0 0 1 3 3v5a3 3 0 0 0 0 6v5a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3v-5a3 3 0 0 0 0-6V8a3 3 0 0 1 3-3Z";

/**
 * The shop's logo and name, as a link to the home page. `short` hides the name on phones; the narrowest never show it.
 */
export function Logo({ name, short = false }: { name: string; short?: boolean }) {
  return (
    <Link
      to="/"
      className="-ml-1 inline-flex min-h-11 items-center gap-2.5 rounded-control px-1 font-semibold text-base tracking-tight max-[23.5rem]:gap-1.5 max-[23.5rem]:text-sm"
    >
      <svg viewBox="0 0 32 32" className="size-8 shrink-0" aria-hidden="true">
        <path className="fill-strong" d={TICKET_SHAPE} />
        <path
          className="stroke-marigold dark:stroke-on-strong"
          strokeWidth="3"
          strokeLinecap="round"
          d="M10 16h7"
        />
        <path className="stroke-on-strong/35" strokeWidth="3" strokeLinecap="round" d="M21.5 16h.01" />
      </svg>
      <span className={short ? "max-sm:sr-only" : "max-[22.5rem]:sr-only"}>{name}</span>
    </Link>
  );
}
