import Ticket from "lucide-react/icons/ticket";
import { useNavigate } from "react-router";
import { usePurchase } from "../checkout/purchase-provider.tsx";
import { DateOnly } from "../date-time.tsx";
import { messageForCode } from "../middleware/error-messages.ts";
import { HelpLink } from "../storefront/help-link.tsx";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { Button } from "../ui/button.tsx";
import { VisuallyHidden } from "../ui/screen-reader-text.tsx";

interface AccessRequiredProps {
  toolName: string;
  /** When the last pass expired; null without one. */
  passEndedAt: Date | null;
  /** Whether the tool is in the catalogue. */
  onSale: boolean;
}

/** Replaces the tool page for an account without an active pass for the tool. */
export function AccessRequired({ toolName, passEndedAt, onSale }: AccessRequiredProps) {
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
          {passEndedAt === null ? (
            `You need an active ${toolName} pass.`
          ) : (
            <>
              Your {toolName} pass ended on <DateOnly date={passEndedAt} />.
            </>
          )}
          {onSale ? null : " This pass is no longer sold."}
        </p>
        <div className="mt-2 flex flex-wrap justify-center gap-3">
          <Button onClick={() => void navigate("/")}>Go to Homepage</Button>
          {onSale ? (
            <Button variant="strong" onClick={() => openPurchase({ name: toolName, price: 0 })}>
              {passEndedAt === null ? "Get access" : "Renew Access"}
              <VisuallyHidden> to {toolName}</VisuallyHidden>
            </Button>
          ) : null}
        </div>
        <HelpLink about={`my pass for ${toolName}`} />
      </main>
      <SiteFooter />
    </>
  );
}
