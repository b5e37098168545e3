import { expect, test } from "vitest";
import { decideCardAction } from "./use-choose-tool.ts";

const tool = { availableStock: 5, contactOnly: false, category: "writing", pricePaise: 14_900 };

test.each([
  ["a tool with a price", {}, "buy"],
  ["a free tool", { pricePaise: 0 }, "open"],
  ["a VPN sold by chat", { contactOnly: true, category: "vpn" }, "contact"],
  ["another tool sold by chat", { contactOnly: true }, "buy"],
  ["the last pass of a tool", { availableStock: 1 }, "buy"],
  ["a tool out of stock", { availableStock: 0 }, "none"],
  ["a free tool out of stock", { availableStock: 0, pricePaise: 0 }, "none"],
  ["a VPN out of stock", { availableStock: 0, contactOnly: true, category: "vpn" }, "none"],
] as const)("the card of %s, %j, has the action %s", (_case, change, action) => {
  expect(decideCardAction({ ...tool, ...change })).toBe(action);
});
