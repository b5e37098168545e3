import type { PassView } from "#core/entitlements/pass-view.ts";
import { rememberChosenTool } from "../storefront/catalogue/chosen-tool.ts";
import type { ButtonLook } from "../ui/button-classes.ts";
import { LinkButton } from "../ui/link-button.tsx";
import { VisuallyHidden } from "../ui/visually-hidden.tsx";

/** Links to the home page, which opens the purchase dialog of the tool. */
export function RenewLink({ pass, ...look }: { pass: PassView } & ButtonLook) {
  const { toolSlug, toolName } = pass;
  return (
    <LinkButton to="/" onClick={() => (toolSlug ? rememberChosenTool(toolSlug) : undefined)} {...look}>
      Renew Access<VisuallyHidden> to {toolName}</VisuallyHidden>
    </LinkButton>
  );
}
