import { Banner } from "../../ui/banner.tsx";

/** The errors of a whole form, above its fields. */
export function FormErrors({ errors }: { errors: readonly string[] | undefined }) {
  if (errors === undefined || errors.length === 0) return null;
  return <Banner tone="error">{errors.join(" ")}</Banner>;
}
