const DAY_MS = 24 * 60 * 60 * 1000;

/** An unused session ends after this time. */
export const SESSION_SECONDS = 30 * 24 * 60 * 60;
/** A session in use is prolonged when that adds at least this time. */
const REFRESH_MS = DAY_MS;
/** No session lasts longer than this, even when it is used. The person then signs in again. */
const ABSOLUTE_MS = 90 * DAY_MS;

/** The use of a session is recorded when the last record of it is older than this, unless its rule says otherwise. */
const SEEN_EVERY_MS = 60 * 60 * 1000;

export interface SessionTimes {
  createdAt: Date;
  expiresAt: Date;
}

/** When a session ends. Rows of earlier versions may have a later end than is allowed. */
export function sessionEnd({ createdAt, expiresAt }: SessionTimes): Date {
  return new Date(Math.min(expiresAt.getTime(), createdAt.getTime() + ABSOLUTE_MS));
}

/** The new end of a session in use; null when it is not due to be prolonged or cannot be prolonged further. */
export function prolongedEnd(session: SessionTimes, now: Date): Date | null {
  const latest = new Date(now.getTime() + SESSION_SECONDS * 1000);
  const end = sessionEnd({ createdAt: session.createdAt, expiresAt: latest });
  return end.getTime() - session.expiresAt.getTime() >= REFRESH_MS ? end : null;
}

/** Whether the use of a session is recorded now, so that its owner sees where it is in use. */
export function isDueToBeSeen(
  { seenAt, seenEveryMs = SEEN_EVERY_MS }: { seenAt: Date; seenEveryMs?: number | undefined },
  now: Date,
): boolean {
  return now.getTime() - seenAt.getTime() >= seenEveryMs;
}
