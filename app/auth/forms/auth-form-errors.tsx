import { Banner } from "../../ui/banner.tsx";

/** What went wrong with a form as a whole; nothing while all is well. */
export function AuthFormErrors({ errors }: { errors: readonly string[] | undefined }) {
  if (errors === undefined || errors.length === 0) return null;
  return <Banner tone="error">{errors.join(" ")}</Banner>;
}
