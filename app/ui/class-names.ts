/** Joins class names and skips false, null and undefined. */
export function classNames(...names: Array<string | false | null | undefined>): string {
  return names.filter(Boolean).join(" ");
}

export interface ButtonLook {
  /**
   * strong: the only main action of a view; soft: the main action of one item of a list or of the header, strong while the
   * pointer is over it; plain: bordered; quiet: text only; danger: destroys something.
   */
  variant?: "strong" | "soft" | "plain" | "quiet" | "danger" | undefined;
  size?: "medium" | "small" | undefined;
  /** As wide as its container. */
  wide?: boolean | undefined;
}

const VARIANTS = {
  strong: "button-strong",
  soft: "button-soft",
  plain: "button-plain",
  quiet: "button-quiet",
  danger: "button-danger",
};

const SIZES = { medium: null, small: "button-small px-3" };

/** The class names of a button, also for other elements that look like one, such as a link. */
export function buttonClasses(
  { variant = "plain", size = "medium", wide = false }: ButtonLook,
  className?: string,
): string {
  return classNames("button", VARIANTS[variant], SIZES[size], wide && "w-full", className);
}
