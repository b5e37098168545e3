import { Banner } from "../../ui/banner.tsx";

/** The errors that belong to the whole form. Renders nothing without errors. */
export function AuthFormErrors({ errors }: { errors: readonly string[] | undefined }) {
  if (errors === undefined || errors.length === 0) return null;
  return <Banner tone="error">{errors.join(" ")}</Banner>;
}
