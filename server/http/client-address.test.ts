import { expect, test } from "vitest";
import { createClientAddresses } from "./client-address.ts";

test("a forwarded address is ignored without trusted proxies", () => {
  expect(createClientAddresses([]).addressOf("9.9.9.9", "1.1.1.1")).toBe("9.9.9.9");
});

test("the addresses that trusted proxies forward are used, hop by hop from the nearest", () => {
  const { addressOf: read } = createClientAddresses(["127.0.0.1", "10.0.0.0/8"]);
  expect(read("127.0.0.1", "6.6.6.6, 1.1.1.1")).toBe("1.1.1.1");
  expect(read("::ffff:127.0.0.1", "6.6.6.6, 1.1.1.1, 10.2.3.4")).toBe("1.1.1.1");
  expect(read("8.8.8.8", "1.1.1.1")).toBe("8.8.8.8");
});

test("a forwarded address may have a port or be an IPv4 address in IPv6 notation", () => {
  const { addressOf: read } = createClientAddresses(["127.0.0.1"]);
  expect(read("127.0.0.1", "1.2.3.4:5678")).toBe("1.2.3.4");
  expect(read("127.0.0.1", "[2001:db8::1]:443")).toBe("2001:db8::1");
  expect(read("127.0.0.1", "::FFFF:1.2.3.4")).toBe("1.2.3.4");
  expect(read("::ffff:7f00:1", "::ffff:102:304")).toBe("1.2.3.4");
});

test("an invalid forwarded address falls back to the last valid address", () => {
  const { addressOf: read } = createClientAddresses(["127.0.0.1"]);
  expect(read("127.0.0.1", "unknown")).toBe("127.0.0.1");
  expect(read("127.0.0.1", undefined)).toBe("127.0.0.1");
  expect(read(undefined, undefined)).toBe("unknown");
});

test("only the addresses of trusted proxies count as trusted proxies", () => {
  const { isTrustedProxy } = createClientAddresses(["127.0.0.1", "10.0.0.0/8"]);
  expect(isTrustedProxy("127.0.0.1")).toBe(true);
  expect(isTrustedProxy("::ffff:10.2.3.4")).toBe(true);
  expect(isTrustedProxy("8.8.8.8")).toBe(false);
  expect(isTrustedProxy(undefined)).toBe(false);
});
