import "react";

declare module "react" {
  interface CSSProperties {
    /** CSS custom properties that a component sets. */
    [property: `--${string}`]: string | number | undefined;
  }
}
