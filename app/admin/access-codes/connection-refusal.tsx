import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { PASSWORD_NEEDED } from "../forms/admin-result.ts";
import { useAdminFeedback } from "../frame/admin-feedback.tsx";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["not-found", "This access code no longer exists."],
  ["invalid-input", "The access code or the tool is not valid. Please choose them again."],
]);

const PARAMETERS = ["connection", "id", "slug"] as const;

/** Why the tab that was to open a server connection shows the list of access codes instead. */
export function ConnectionRefusal() {
  const [params, setParams] = useSearchParams();
  const [[refusal, id, slug]] = useState(() => PARAMETERS.map((name) => params.get(name)));
  useEffect(() => {
    if (!params.has("connection")) return;
    const rest = new URLSearchParams(params);
    for (const name of PARAMETERS) rest.delete(name);
    setParams(rest, { replace: true, preventScrollReset: true });
  }, [params, setParams]);
  if (!refusal) return null;
  if (refusal === PASSWORD_NEEDED && id && slug) return <PasswordNeeded id={id} slug={slug} />;
  return (
    <Banner tone="error">
      The server connection was not opened. {REASONS.get(refusal) ?? "Please try again."}
    </Banner>
  );
}

/** Asks for the password, and then opens the connection in this tab. */
function PasswordNeeded({ id, slug }: { id: string; slug: string }) {
  const { askPassword } = useAdminFeedback();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => askPassword(() => form.current?.submit()), [askPassword]);
  return (
    <Banner tone="warning">
      <form
        ref={form}
        method="post"
        action="/admin/access-codes/connection"
        className="flex flex-wrap items-center justify-between gap-3"
      >
        <p>Please enter your password to open the server connection.</p>
        <input type="hidden" name="id" value={id} />
        <input type="hidden" name="slug" value={slug} />
        <Button size="small" onClick={() => askPassword(() => form.current?.submit())}>
          Enter Password
        </Button>
      </form>
    </Banner>
  );
}
