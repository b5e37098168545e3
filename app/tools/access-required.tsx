import Ticket from "lucide-react/icons/ticket";
import { useNavigate } from "react-router";
import { HelpLink } from "../storefront/help-link.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { Button } from "../ui/button.tsx";

/** In place of a tool's page for one who has no running pass for it. */
export function AccessRequired({ toolName }: { toolName: string }) {
  const navigate = useNavigate();
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-prose flex-col items-center gap-4 px-4 py-16 text-center outline-none sm:py-24"
      >
        <Ticket className="size-10 text-muted" aria-hidden="true" />
        <h1 className="text-xl">Access Required</h1>
        <p className="text-muted">
          This page opens with a running pass for {toolName}. You do not have one right now.
        </p>
        <Button variant="strong" className="mt-2" onClick={() => void navigate("/")}>
          Go to Homepage
        </Button>
        <HelpLink about={`my pass for ${toolName}`} />
      </main>
    </>
  );
}
