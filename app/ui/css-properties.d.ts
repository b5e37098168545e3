import "react";

declare module "react" {
  interface CSSProperties {
    /** Custom properties set from a component. */
    [property: `--${string}`]: string | number | undefined;
  }
}
