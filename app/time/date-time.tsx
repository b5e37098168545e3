import { formatDate, formatDateTime } from "#core/time.ts";
import { DateText } from "../ui/time.tsx";
import { useShared } from "../use-shared.ts";

/** A date, such as "24/12/26", in the store's time zone. */
export function DateOnly({ date }: { date: Date }) {
  const { timeZone } = useShared();
  return <DateText date={date}>{formatDate(date, timeZone)}</DateText>;
}

/** A date and time, such as "24/12/26, 15:30", in the store's time zone. */
export function DateTime({ date }: { date: Date }) {
  const { timeZone } = useShared();
  return <DateText date={date}>{formatDateTime(date, timeZone)}</DateText>;
}
