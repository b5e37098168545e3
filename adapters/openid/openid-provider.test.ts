import { expect, test } from "vitest";
import { settings } from "#server/env/settings.ts";
import { GOOGLE_ISSUER, issuerOf } from "./openid-provider.ts";

test("a shop uses Google's configuration by default", () => {
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
])("the configuration at %s belongs to the issuer %s", (discoveryUrl, issuer) => {
  expect(issuerOf(discoveryUrl)).toBe(issuer);
});
