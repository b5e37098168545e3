/** Joins class names and skips false, null and undefined. */
export function classNames(...names: Array<string | false | null | undefined>): string {
  return names.filter(Boolean).join(" ");
}

export interface ButtonLook {
  /**
   * strong: the only main action of a view; soft: the main action of one item of a list, strong while the pointer is
   * over its `group`; plain: bordered; quiet: text only; danger: destroys something.
   */
  variant?: "strong" | "soft" | "plain" | "quiet" | "danger" | undefined;
  size?: "medium" | "small" | undefined;
  /** As wide as its container. */
  wide?: boolean | undefined;
}

const BASE =
  "relative inline-flex select-none items-center justify-center gap-2 rounded-control text-center font-semibold transition-colors [&>svg]:shrink-0 duration-150 disabled:cursor-not-allowed aria-disabled:cursor-progress";

const VARIANTS = {
  strong: "bg-strong text-on-strong hover:bg-strong-hover disabled:bg-line disabled:text-muted",
  soft: "border border-strong text-ink hover:bg-strong hover:text-on-strong group-hover:bg-strong group-hover:text-on-strong disabled:border-line disabled:bg-card disabled:text-muted",
  plain: "border border-field bg-card text-ink hover:border-ink disabled:border-line disabled:text-muted",
  quiet: "text-ink hover:bg-ink/5 disabled:text-muted",
  danger: "bg-red text-card hover:opacity-90 disabled:opacity-50",
};

const SIZES = {
  medium: "min-h-11 px-4 py-2 text-sm",
  small: "min-h-11 px-3 py-1 text-sm sm:min-h-9",
};

/** The class names of a button, also for other elements that look like one, such as a link. */
export function buttonClasses(
  { variant = "plain", size = "medium", wide = false }: ButtonLook,
  className?: string,
): string {
  return classNames(BASE, VARIANTS[variant], SIZES[size], wide && "w-full", className);
}
