import { type AdminResult, PASSWORD_NEEDED } from "../forms/admin-result.ts";

/** The refusal of an action, beside the button that was pressed: the banner of the page is behind the dialog. */
export function ActionError({ result }: { result: AdminResult | undefined }) {
  const isRefused = result !== undefined && !result.ok && result.code !== PASSWORD_NEEDED;
  return (
    <div role="alert" className="text-red text-sm empty:hidden">
      {isRefused ? result.message : null}
    </div>
  );
}
