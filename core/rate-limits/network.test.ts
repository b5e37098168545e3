import { expect, test } from "vitest";
import { limitKeyOfAddress, networksOfAddress } from "./network.ts";

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["2001:DB8:0:0:ffff::2", "2001:db8:0:0"],
  ["2001:db8:0:1::2", "2001:db8:0:1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["::1", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["::FFFF:1.2.3.4", "1.2.3.4"],
  ["::ffff:102:304", "1.2.3.4"],
  ["0:0:0:0:0:ffff:102:304", "1.2.3.4"],
  ["1.2.3.4:5678", "1.2.3.4"],
  ["[2001:db8::1]:443", "2001:db8:0:0"],
  ["[2001:db8::1]", "2001:db8:0:0"],
  ["unknown", "unknown"],
  ["[nonsense]:443", "[nonsense]:443"],
])("the limits per address count %s as %s", (address, network) => {
  expect(limitKeyOfAddress(address)).toBe(network);
});

test.each([
  ["192.0.2.7", ["192.0.2.7"]],
  ["unknown", ["unknown"]],
  ["::ffff:1.2.3.4", ["1.2.3.4"]],
  ["2001:db8:1:2ab::9", ["2001:db8:1:2ab", "2001:db8:1:200/56", "2001:db8:1/48"]],
  ["2001:db8:1:2ab", ["2001:db8:1:2ab", "2001:db8:1:200/56", "2001:db8:1/48"]],
  ["2001:db8::1", ["2001:db8:0:0", "2001:db8:0:0/56", "2001:db8:0/48"]],
])("the networks of %s are %j, each wider than the one before", (address, keys) => {
  expect(networksOfAddress(address).map(({ key }) => key)).toEqual(keys);
  expect(networksOfAddress(address).map(({ times }) => times)).toEqual([1, 2, 4].slice(0, keys.length));
});
