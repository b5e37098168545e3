import { useRevalidator } from "react-router";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { useAdminFeedback } from "../frame/admin-feedback.tsx";

/** Says why the list has no codes, and why a whole code is not found, and shows them after the password. */
export function HiddenCodes() {
  const { askPassword } = useAdminFeedback();
  const { revalidate } = useRevalidator();
  return (
    <Banner tone="warning">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>
          Codes are hidden and can’t be searched because you last entered your password more than 15 minutes
          ago.
        </p>
        <Button size="small" onClick={() => askPassword(() => void revalidate())}>
          Show Codes
        </Button>
      </div>
    </Banner>
  );
}
