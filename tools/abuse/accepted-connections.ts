import { readFileSync } from "node:fs";
import type { Target } from "./attacks.ts";

/** How many connections the shop has accepted and not closed, as the system counts them. */
export function acceptedConnections({ port }: Target): number {
  const own = `:${port.toString(16).toUpperCase().padStart(4, "0")} `;
  const established = "01";
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = "", , state]) => `${local} `.endsWith(own) && state === established).length;
}
