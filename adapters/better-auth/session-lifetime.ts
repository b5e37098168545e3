const DAY_MS = 24 * 60 * 60 * 1000;

/** An unused session ends after this time. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60;
/** A session in use is prolonged when that adds at least this time. */
const REFRESH_MS = DAY_MS;
/** No session lives longer than this, however often it is used: then the person signs in again. */
const ABSOLUTE_MS = 90 * DAY_MS;

export interface SessionTimes {
  createdAt: Date;
  expiresAt: Date;
}

/** The moment a session ends. Rows written by earlier versions may claim a later one than is allowed. */
export function sessionEnd({ createdAt, expiresAt }: SessionTimes): Date {
  return new Date(Math.min(expiresAt.getTime(), createdAt.getTime() + ABSOLUTE_MS));
}

/** The later end that a session in use gets now; null when it is not due, or cannot become later. */
export function prolongedEnd(session: SessionTimes, now: Date): Date | null {
  const latest = new Date(now.getTime() + SESSION_SECONDS * 1000);
  const end = sessionEnd({ createdAt: session.createdAt, expiresAt: latest });
  return end.getTime() - session.expiresAt.getTime() >= REFRESH_MS ? end : null;
}
