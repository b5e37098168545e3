import { DAY, HOUR, SECOND } from "../time.ts";

/** How long a ticket is valid. The extension trades it as soon as it gets it. */
export const TICKET_VALID_MS = 60 * SECOND;

/** Used unless the owner sets other numbers. */
export const DEFAULT_DEVICE_RULES = { devicesPerUser: 2, releasesPerPeriod: 2 };

/** In this period a buyer may release `releasesPerPeriod` devices. */
export const RELEASE_PERIOD_DAYS = 30;
export const RELEASE_PERIOD_MS = RELEASE_PERIOD_DAYS * DAY;

/** At most this many installations are connected to one account within a day. */
export const CONNECTIONS_PER_DAY = 5;

/** `lastSeenAt` is written at most this often, so that a popup that is opened does not write a row each time. */
export const SEEN_INTERVAL_MS = HOUR;

/** Of the name of a device, in characters. */
export const DEVICE_NAME_MAXIMUM = 60;
