import { isIP, isIPv6 } from "node:net";

const WITH_PORT = /^(?:\[(.+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * An address as it is counted: without the port that some proxies write after it, and an IPv4 address that came over an
 * IPv6 socket in its own writing. What is no address stays as it is.
 */
export function normaliseAddress(text: string): string {
  const parts = WITH_PORT.exec(text);
  const address = parts?.[1] ?? parts?.[2] ?? text;
  if (isIP(address) === 0) return text;
  const [, high, low] = MAPPED.exec(shortest(address)) ?? [];
  if (high === undefined || low === undefined) return address;
  const numbers = [high, low].map((group) => Number.parseInt(group, 16));
  return numbers.flatMap((number) => [number >> 8, number & 255]).join(".");
}

/** One of the many ways to write an IPv6 address: the browsers' own. One with a zone has no other. */
function shortest(address: string): string {
  if (!isIPv6(address) || address.includes("%")) return address;
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

/** One IPv6 subscriber has a whole /64, so that is what is counted; an IPv4 address stands for itself. */
export function networkOf(address: string): string {
  const plain = normaliseAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = "", tail = ""] = plain.toLowerCase().split("%")[0]?.split("::") ?? [];
  const before = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  const groups = plain.includes("::") ? [...before, ...zeros, ...after] : before;
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
