const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** dd/mm/yy, as the shop shows dates. */
export function formatDate(date: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `${two(date.getDate())}/${two(date.getMonth() + 1)}/${two(date.getFullYear() % 100)}`;
}

/** The time until `end`, as the shop shows it: `18 days`, `5 h 20 min`, `40 s`; null when it has passed. */
export function formatTimeLeft(end: Date, now: Date): string | null {
  const left = end.getTime() - now.getTime();
  if (left <= 0) return null;
  const days = Math.round(left / DAY);
  if (left >= DAY) return `${days} ${days === 1 ? "day" : "days"}`;
  if (left >= HOUR) return `${Math.floor(left / HOUR)} h ${Math.floor((left % HOUR) / MINUTE)} min`;
  if (left >= MINUTE) return `${Math.floor(left / MINUTE)} min`;
  return `${Math.min(59, Math.ceil(left / SECOND))} s`;
}
