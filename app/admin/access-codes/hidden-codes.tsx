import { useRevalidator } from "react-router";
import type { ListedAccessCode } from "#core/access-codes/list-access-codes.server.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { useAdminFeedback } from "../frame/admin-feedback.tsx";

/** Says why the list has no codes, and shows them after the password. */
export function HiddenCodes({ rows }: { rows: readonly ListedAccessCode[] }) {
  const { askPassword } = useAdminFeedback();
  const { revalidate } = useRevalidator();
  if (!rows.some(({ simpleCode }) => simpleCode === null)) return null;
  return (
    <Banner tone="warning">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>The codes are hidden because you last entered your password more than 15 minutes ago.</p>
        <Button size="small" onClick={() => askPassword(() => void revalidate())}>
          Show Codes
        </Button>
      </div>
    </Banner>
  );
}
