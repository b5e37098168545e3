import { expect, test } from "vitest";
import { settings } from "#server/env/settings.ts";
import { GOOGLE_ISSUER, issuerOf } from "./openid-provider.ts";

test("the configuration that a shop uses by default is that of Google", () => {
  expect(issuerOf(settings.parse({}).googleDiscoveryUrl)).toBe(GOOGLE_ISSUER);
});

test.each([
  ["https://id.example.com/.well-known/openid-configuration", "https://id.example.com"],
  ["https://id.example.com/", "https://id.example.com"],
  [
    "https://id.example.com/realms/shop/.well-known/openid-configuration",
    "https://id.example.com/realms/shop",
  ],
  ["https://id.example.com/v2/.well-known/openid-configuration?p=a", "https://id.example.com/v2?p=a"],
  [
    "https://accounts.google.com.example.com/.well-known/openid-configuration",
    "https://accounts.google.com.example.com",
  ],
  ["https://id.example.com/accounts.google.com", "https://id.example.com/accounts.google.com"],
])("the configuration at %s is that of the issuer %s", (discoveryUrl, issuer) => {
  expect(issuerOf(discoveryUrl)).toBe(issuer);
});
