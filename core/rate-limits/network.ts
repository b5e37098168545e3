import { isIP, isIPv4, isIPv6 } from "node:net";

const WITH_PORT = /^(?:\[(.+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Removes the port that some proxies append, and turns an IPv4-mapped IPv6 address into the IPv4 address. Text that is
 * not an address is returned unchanged.
 */
export function normaliseAddress(text: string): string {
  const parts = WITH_PORT.exec(text);
  const address = parts?.[1] ?? parts?.[2] ?? text;
  if (isIP(address) === 0) return text;
  const [, high, low] = MAPPED.exec(toCanonicalIpv6(address)) ?? [];
  if (high === undefined || low === undefined) return address;
  const numbers = [high, low].map((group) => Number.parseInt(group, 16));
  return numbers.flatMap((number) => [number >> 8, number & 255]).join(".");
}

/** The canonical notation of an IPv6 address, as URL writes it. An address with a zone is returned unchanged. */
function toCanonicalIpv6(address: string): string {
  if (!isIPv6(address) || address.includes("%")) return address;
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

/** A key of a limit per address, and how many times as many attempts as one address the network has. */
interface CountedNetwork {
  key: string;
  times: 1 | 2 | 4;
}

/**
 * The networks that a limit counts for an address, the narrowest first. A subscriber with IPv6 may have a /56 or a /48 with as
 * many /64s as they want, so that these are counted too.
 *
 * @param address an address, or the result of `limitKeyOfAddress`
 */
export function networksOfAddress(address: string): [CountedNetwork, ...CountedNetwork[]] {
  const key = limitKeyOfAddress(address);
  const groups = key.split(":");
  const [first, second, third, fourth] = groups;
  if (groups.length !== 4 || fourth === undefined) return [{ key, times: 1 }];
  const site = `${first}:${second}:${third}`;
  const half = (Number.parseInt(fourth, 16) & 0xff00).toString(16);
  return [
    { key, times: 1 },
    { key: `${site}:${half}/56`, times: 2 },
    { key: `${site}/48`, times: 4 },
  ];
}

/** The key for an address alone: an IPv4 address, or the /64 of an IPv6 address, which belongs to one subscriber. */
export function limitKeyOfAddress(address: string): string {
  if (isIPv4(address)) return address;
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

/** Whether only this machine reaches an origin. */
export function isLoopbackOrigin(origin: string): boolean {
  const { hostname } = new URL(origin);
  return /^(?:.+\.)?localhost$|^127(?:\.\d+){3}$|^\[::1\]$/.test(hostname);
}
