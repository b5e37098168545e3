import { expect, test } from "vitest";
import { chatUrl } from "./limits.ts";

test("the chat address holds only the digits of a number", () => {
  expect(chatUrl("+91 98765-43210")).toBe("https://wa.me/919876543210");
});

test("the first message of a chat is encoded in the address", () => {
  expect(chatUrl("+910000000001", "Surfshark VPN & more")).toBe(
    "https://wa.me/910000000001?text=Surfshark+VPN+%26+more",
  );
});
