import { BlockList, isIP } from "node:net";
import { plainAddress } from "#core/network.ts";

/** Tells a visitor's address, believing X-Forwarded-For only as far as it was written by proxies we trust. */
export function createAddressReader(
  trustedProxies: readonly string[],
): (socketAddress: string | undefined, forwardedFor: string | undefined) => string {
  const trusted = new BlockList();
  for (const entry of trustedProxies) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  return (socketAddress, forwardedFor) => {
    let address = plainAddress(socketAddress ?? "unknown");
    const hops = (forwardedFor ?? "").split(",").map((hop) => plainAddress(hop.trim()));
    // From the nearest hop outwards: each trusted proxy vouches for the address before it.
    while (isTrusted(address)) {
      const before = hops.pop();
      if (before === undefined || isIP(before) === 0) break;
      address = before;
    }
    return address;
  };
}
