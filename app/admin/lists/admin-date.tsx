import { formatDateTime } from "#core/time.ts";
import { DateOnly } from "../../date-time.tsx";
import { useShared } from "../../use-shared.ts";

/** A date as dd/mm/yy in the store's time zone; the time is in its tooltip. */
export function AdminDate({ date, missing = "Unknown" }: { date: Date | null; missing?: string }) {
  const { timeZone } = useShared();
  if (date === null) return <span className="text-muted">{missing}</span>;
  return (
    <span title={formatDateTime(date, timeZone)}>
      <DateOnly date={date} />
    </span>
  );
}
