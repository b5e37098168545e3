import { expect, test } from "vitest";
import { createClientAddresses } from "./client-address.ts";

test("without trusted proxies a forwarded address is not believed", () => {
  expect(createClientAddresses([]).addressOf("9.9.9.9", "1.1.1.1")).toBe("9.9.9.9");
});

test("a trusted proxy's word is taken, hop by hop from the nearest", () => {
  const { addressOf: read } = createClientAddresses(["127.0.0.1", "10.0.0.0/8"]);
  expect(read("127.0.0.1", "6.6.6.6, 1.1.1.1")).toBe("1.1.1.1");
  expect(read("::ffff:127.0.0.1", "6.6.6.6, 1.1.1.1, 10.2.3.4")).toBe("1.1.1.1");
  expect(read("8.8.8.8", "1.1.1.1")).toBe("8.8.8.8");
});

test("a proxy may write a port, or an IPv4 address in the way of IPv6", () => {
  const { addressOf: read } = createClientAddresses(["127.0.0.1"]);
  expect(read("127.0.0.1", "1.2.3.4:5678")).toBe("1.2.3.4");
  expect(read("127.0.0.1", "[2001:db8::1]:443")).toBe("2001:db8::1");
  expect(read("127.0.0.1", "::FFFF:1.2.3.4")).toBe("1.2.3.4");
  expect(read("::ffff:7f00:1", "::ffff:102:304")).toBe("1.2.3.4");
});

test("nonsense in the header falls back to the last address that is one", () => {
  const { addressOf: read } = createClientAddresses(["127.0.0.1"]);
  expect(read("127.0.0.1", "unknown")).toBe("127.0.0.1");
  expect(read("127.0.0.1", undefined)).toBe("127.0.0.1");
  expect(read(undefined, undefined)).toBe("unknown");
});

test("a trusted proxy is known by its address, and by no other", () => {
  const { isTrustedProxy } = createClientAddresses(["127.0.0.1", "10.0.0.0/8"]);
  expect(isTrustedProxy("127.0.0.1")).toBe(true);
  expect(isTrustedProxy("::ffff:10.2.3.4")).toBe(true);
  expect(isTrustedProxy("8.8.8.8")).toBe(false);
  expect(isTrustedProxy(undefined)).toBe(false);
});
