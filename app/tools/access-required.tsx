import Ticket from "lucide-react/icons/ticket";
import { useNavigate } from "react-router";
import { usePurchase } from "../checkout/purchase-provider.tsx";
import { messageForCode } from "../middleware/error-messages.ts";
import { HelpLink } from "../storefront/help-link.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { Button } from "../ui/button.tsx";
import { VisuallyHidden } from "../ui/screen-reader-text.tsx";

/** Replaces the tool page for an account without an active pass for the tool. */
export function AccessRequired({ toolName }: { toolName: string }) {
  const navigate = useNavigate();
  const { openPurchase } = usePurchase();
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-prose flex-col items-center gap-4 px-4 py-16 text-center outline-none sm:py-24"
      >
        <Ticket className="size-10 text-muted" aria-hidden="true" />
        <h1 className="text-xl">{messageForCode("access-required")}</h1>
        <p className="text-muted">
          This page opens with a running pass for {toolName}. You do not have one right now.
        </p>
        <div className="mt-2 flex flex-wrap justify-center gap-3">
          <Button onClick={() => void navigate("/")}>Go to Homepage</Button>
          <Button variant="strong" onClick={() => openPurchase({ name: toolName, price: 0 })}>
            Get access<VisuallyHidden> to {toolName}</VisuallyHidden>
          </Button>
        </div>
        <HelpLink about={`my pass for ${toolName}`} />
      </main>
    </>
  );
}
