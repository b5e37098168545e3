import { BlockList, isIP } from "node:net";
import { normaliseAddress } from "#core/rate-limits/network.ts";

export interface ClientAddresses {
  /** The client's address. Only the part of X-Forwarded-For that trusted proxies wrote is used. */
  addressOf(socketAddress: string | undefined, forwardedFor: string | undefined): string;
  /** Whether connections of this address carry the requests of many clients. */
  isTrustedProxy(socketAddress: string | undefined): boolean;
}

const MAX_KNOWN = 10_000;

/** @param trustedProxies addresses and CIDR ranges */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  const find = (socketAddress: string, forwardedFor: string): string => {
    let address = normaliseAddress(socketAddress);
    const hops = forwardedFor.split(",").map((hop) => normaliseAddress(hop.trim()));
    // From the nearest hop outwards: each trusted proxy wrote the address before it.
    while (isTrusted(address)) {
      const before = hops.pop();
      if (before === undefined || isIP(before) === 0) break;
      address = before;
    }
    return address;
  };
  /** The addresses of direct clients, because parsing one takes as long as sending a stored page. */
  const direct = new Map<string, string>();

  return {
    isTrustedProxy: (socketAddress) => isTrusted(normaliseAddress(socketAddress ?? "unknown")),
    addressOf(socketAddress = "unknown", forwardedFor = "") {
      if (forwardedFor !== "") return find(socketAddress, forwardedFor);
      const known = direct.get(socketAddress);
      if (known !== undefined) return known;
      if (direct.size >= MAX_KNOWN) direct.clear();
      const address = find(socketAddress, "");
      direct.set(socketAddress, address);
      return address;
    },
  };
}
