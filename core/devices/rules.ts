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

/** A device that was not used for this long has to be connected again, and its slot is free. */
const UNUSED_DEVICE_MS = 180 * DAY;

/** A device that was last seen at this time, or before, has expired. */
export const deviceExpiryBefore = (now: Date): Date => new Date(now.getTime() - UNUSED_DEVICE_MS);

/** Gives devices with equal names a number, the oldest first, so that they can be told apart: "Chrome on Linux 2". */
export function tellApart<Device extends { name: string }>(
  devices: readonly Device[],
): (Device & { shownName: string })[] {
  const taken = new Set(devices.map(({ name }) => name.toLowerCase()));
  const seen = new Set<string>();
  return devices.map((device) => {
    const { name } = device;
    let shownName = name;
    if (seen.has(name.toLowerCase())) {
      for (let number = 2; taken.has(shownName.toLowerCase()); number++) shownName = `${name} ${number}`;
      taken.add(shownName.toLowerCase());
    }
    seen.add(name.toLowerCase());
    return { ...device, shownName };
  });
}

/** The length of the name of a device, in characters. */
export const DEVICE_NAME_MAXIMUM = 60;
