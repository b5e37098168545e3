/** Used unless the owner sets other numbers. */
export const DEFAULT_ADMIN_SESSIONS = { idleHours: 12, maxDays: 7 };
