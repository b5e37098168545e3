import { formatDate, formatDateTime } from "#core/time.ts";
import { LANGUAGES } from "#languages/languages.ts";
import { currentLanguage } from "../ui/texts/texts.ts";
import { DateText } from "../ui/time.tsx";
import { useShared } from "../use-shared.ts";

/** A date, such as "24/12/26", in the store's time zone. */
export function DateOnly({ date }: { date: Date }) {
  const { timeZone } = useShared();
  return <DateText date={date}>{formatDate(date, timeZone)}</DateText>;
}

/**
 * A date and time with the day of the week, such as "Thu 24/12/26, 15:30", in the store's time zone. For parts of the page that only
 * the browser renders: it may abbreviate a day in another way than the server.
 */
export function DayAndTime({ date }: { date: Date }) {
  const { timeZone } = useShared();
  const language = LANGUAGES[currentLanguage()].tag;
  const day = new Intl.DateTimeFormat(language, { weekday: "short", timeZone }).format(date);
  return (
    <DateText date={date}>
      {/* A low window has no room for it. */}
      <span className="low:hidden">{`${day} `}</span>
      <span>{formatDateTime(date, timeZone)}</span>
    </DateText>
  );
}

/** A date and time, such as "24/12/26, 15:30", in the store's time zone. */
export function DateTime({ date }: { date: Date }) {
  const { timeZone } = useShared();
  return <DateText date={date}>{formatDateTime(date, timeZone)}</DateText>;
}
