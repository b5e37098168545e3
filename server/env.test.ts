import { resolve } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { settings, variableOf } from "./env/settings.ts";
import { ConfigurationError, insecureAddresses, readEnv, unreadSettings } from "./env.ts";

const keys = { AUTH_SECRET: "a".repeat(32), VAULT_KEYS: "k1:abc" };
const hosted = { DATABASE_URL: "postgres://shop:hunter2@db.example.com/shop" };

test("an empty environment gives a demo shop on the embedded database", () => {
  expect(readEnv({})).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    origin: "http://localhost:3000",
    originIsLoopback: true,
    extraOrigins: ["http://127.0.0.1:3000"],
    trustedProxies: [],
    limitsPerAddress: 1,
    dataDir: resolve("data"),
    databaseUrl: undefined,
    adminEmail: "admin@example.com",
    paymentGateway: "sandbox",
    razorpay: undefined,
    google: undefined,
    demo: true,
    logLevel: "info",
    metricsToken: undefined,
    storeTimeZone: "Asia/Kolkata",
  });
});

test("an empty value counts as unset", () => {
  expect(readEnv({ PORT: "", DATABASE_URL: " ", DEMO: "" })).toEqual(readEnv({}));
});

test("PORT changes the default origin", () => {
  expect(readEnv({ PORT: "4100" })).toMatchObject({
    origin: "http://localhost:4100",
    extraOrigins: ["http://127.0.0.1:4100"],
  });
});

test("a set ORIGIN loses its trailing slash and is the only accepted origin", () => {
  expect(readEnv({ ORIGIN: "https://shop.example.com/" })).toMatchObject({
    origin: "https://shop.example.com",
    originIsLoopback: false,
    extraOrigins: [],
  });
});

test("DATABASE_URL is also the direct address and turns the demo off", () => {
  expect(readEnv(hosted)).toMatchObject({ databaseDirectUrl: hosted.DATABASE_URL, demo: false });
  expect(readEnv({ ...hosted, DEMO: "1" }).demo).toBe(true);
  expect(readEnv({ DEMO: "0" }).demo).toBe(false);
});

test.each([
  "http://localhost:1",
  "http://shop.localhost",
  "http://127.9.9.9",
  "http://[::1]:80",
])("the origin %s counts as loopback", (ORIGIN) => {
  expect(readEnv({ ORIGIN }).originIsLoopback).toBe(true);
});

test("the origin 127.example.com does not count as loopback", () => {
  expect(readEnv({ ORIGIN: "https://127.example.com" }).originIsLoopback).toBe(false);
});

test("the provider in Google's place is reached by https, or on this machine", () => {
  const google = { GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "s" };
  const discoveryUrl = (GOOGLE_DISCOVERY_URL?: string) =>
    readEnv({ ...google, ...(GOOGLE_DISCOVERY_URL !== undefined && { GOOGLE_DISCOVERY_URL }) }).google
      ?.discoveryUrl;
  expect(discoveryUrl()).toBe("https://accounts.google.com/.well-known/openid-configuration");
  expect(discoveryUrl("http://127.0.0.1:9/.well-known/x")).toBe("http://127.0.0.1:9/.well-known/x");
  expect(() => discoveryUrl("http://id.example.com/.well-known/x")).toThrow(
    "GOOGLE_DISCOVERY_URL must begin with https://",
  );
});

test("settings with several values are comma lists", () => {
  const env = readEnv({
    TRUSTED_PROXIES: "10.0.0.0/8, ::1",
    SUPPORT_PHONES: "+91 98765 43210,919876543211",
    RAZORPAY_KEY_ID: "rzp_test_1",
    RAZORPAY_KEY_SECRET: "s",
    RAZORPAY_WEBHOOK_SECRET: "new, old",
  });
  expect(env.trustedProxies).toEqual(["10.0.0.0/8", "::1"]);
  expect(env.supportPhones).toEqual(["+91 98765 43210", "919876543211"]);
  expect(env.razorpay?.webhookSecrets).toEqual(["new", "old"]);
});

describe("payment gateway", () => {
  const razorpay = { RAZORPAY_KEY_ID: "rzp_test_1", RAZORPAY_KEY_SECRET: "s" };
  const away = { ORIGIN: "https://shop.example.com" };
  test.each([
    [{}, "sandbox"],
    [away, "none"],
    [{ PAYMENT_GATEWAY: "sandbox" }, "sandbox"],
    [{ ...away, PAYMENT_GATEWAY: "sandbox", SANDBOX_ON_PUBLIC_ORIGIN: "1" }, "sandbox"],
    [{ ...away, SANDBOX_ON_PUBLIC_ORIGIN: "1" }, "none"],
    [razorpay, "razorpay"],
    [{ ...razorpay, ...away }, "razorpay"],
    [{ ...razorpay, PAYMENT_GATEWAY: "none" }, "none"],
  ] as const)("the settings %o choose the gateway %s", (source, gateway) => {
    expect(readEnv(source).paymentGateway).toBe(gateway);
  });

  test.each([
    {},
    { SANDBOX_ON_PUBLIC_ORIGIN: "0" },
    razorpay,
  ])("the sandbox on a public origin is refused without SANDBOX_ON_PUBLIC_ORIGIN: %o", (more) => {
    const { message } = refusal({ ...away, ...more, PAYMENT_GATEWAY: "sandbox" });
    expect(message).toMatch(/^SANDBOX_ON_PUBLIC_ORIGIN must be 1 when .* test payments .*\.$/);
  });
});

test.each([
  ["PORT", { PORT: "hunter2" }],
  ["PORT", { PORT: "70000" }],
  ["PORT", { PORT: "0" }],
  ["HOST", { HOST: "hunter2 x" }],
  ["ORIGIN", { ORIGIN: "shop.example.com" }],
  ["ORIGIN", { ORIGIN: "https://shop.example.com/hunter2" }],
  ["TRUSTED_PROXIES", { TRUSTED_PROXIES: "10.0.0.0/33" }],
  ["LIMITS_PER_ADDRESS", { LIMITS_PER_ADDRESS: "-1" }],
  ["DATABASE_URL", { DATABASE_URL: "mysql://root:hunter2@host/x" }],
  ["DATABASE_DIRECT_URL", { ...hosted, DATABASE_DIRECT_URL: "hunter2" }],
  ["ADMIN_EMAIL", { ADMIN_EMAIL: "hunter2" }],
  ["AUTH_SECRET", { AUTH_SECRET: "hunter2" }],
  ["AUTH_SECRET", { ...hosted, ORIGIN: "https://shop.example.com", VAULT_KEYS: "hunter2" }],
  ["VAULT_KEYS", { ...hosted, ORIGIN: "https://shop.example.com", AUTH_SECRET: keys.AUTH_SECRET }],
  ["PAYMENT_GATEWAY", { PAYMENT_GATEWAY: "hunter2" }],
  ["RAZORPAY_KEY_ID", { PAYMENT_GATEWAY: "razorpay", RAZORPAY_KEY_SECRET: "hunter2" }],
  ["RAZORPAY_KEY_ID", { RAZORPAY_KEY_ID: "hunter2", RAZORPAY_KEY_SECRET: "x" }],
  ["RAZORPAY_KEY_SECRET", { RAZORPAY_KEY_ID: "rzp_test_1" }],
  ["RAZORPAY_KEY_SECRET", { RAZORPAY_KEY_ID: "rzp_test_1", RAZORPAY_KEY_SECRET: "rzp_test_hunter2" }],
  ["SUPPORT_PHONES", { SUPPORT_PHONES: "98765 43210" }],
  ["SUPPORT_PHONES", { SUPPORT_PHONES: "098765 43210" }],
  ["RAZORPAY_API_URL", { RAZORPAY_API_URL: "ftp://hunter2" }],
  ["GOOGLE_CLIENT_SECRET", { GOOGLE_CLIENT_ID: "hunter2" }],
  ["GOOGLE_CLIENT_ID", { GOOGLE_CLIENT_SECRET: "hunter2" }],
  ["SMTP_URL", { SMTP_URL: "https://hunter2" }],
  ["MAIL_FROM", { MAIL_FROM: "hunter2" }],
  ["SUPPORT_PHONES", { SUPPORT_PHONES: "hunter2" }],
  ["DEALS_CHANNEL_URL", { DEALS_CHANNEL_URL: "hunter2" }],
  ["DEMO_VIDEO_URL", { DEMO_VIDEO_URL: "hunter2" }],
  ["EXTENSION_STORE_URL", { EXTENSION_STORE_URL: "hunter2" }],
  ["EXTENSION_STORE_URL", { EXTENSION_STORE_URL: "javascript:hunter2" }],
  ["DEMO_VIDEO_URL", { DEMO_VIDEO_URL: "http://video.example.com/hunter2" }],
  ["DEMO_VIDEO_URL", { DEMO_VIDEO_URL: "https://*/hunter2" }],
  ["DEMO", { DEMO: "hunter2" }],
  ["LOG_LEVEL", { LOG_LEVEL: "hunter2" }],
  ["METRICS_TOKEN", { METRICS_TOKEN: "hunter2" }],
  ["METRICS_TOKEN", { METRICS_TOKEN: "hunter2 and more words" }],
  ["STORE_TIME_ZONE", { STORE_TIME_ZONE: "hunter2" }],
])("the refusal of a setting names %s and repeats no value: %o", (name, source) => {
  const error = refusal(source);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toMatch(new RegExp(`^${name} must [^\\n]*\\.$`));
  expect(error.message).not.toContain("hunter2");
});

test("a hosted shop with AUTH_SECRET and VAULT_KEYS is accepted", () => {
  expect(readEnv({ ...hosted, ...keys, ORIGIN: "https://shop.example.com" }).vaultKeys).toEqual(["k1:abc"]);
});

function refusal(source: NodeJS.ProcessEnv): Error {
  try {
    readEnv(source);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("the environment was accepted");
}

test.each([
  ["BACKUP_PASSPHASE", "BACKUP_PASSPHRASE"],
  ["DATABSE_URL", "DATABASE_URL"],
  ["RAZORPAY_WEBHOOK", "RAZORPAY_WEBHOOK_SECRET"],
  ["STORE_TIMEZONE", "STORE_TIME_ZONE"],
])("the setting %s is not read, and the owner is told of %s", (name, near) => {
  const [line, ...others] = unreadSettings({ [name]: "hunter2" });
  expect(others).toEqual([]);
  expect(line).toBe(`Nothing reads the setting ${name}. Did you mean ${near}?`);
});

test("variables of other programs and all settings are not told of", () => {
  const names = [
    ...Object.keys(settings.shape).map(variableOf),
    "PATH",
    "HOSTNAME",
    "POST",
    "NODE_ENV",
    "NO_RESTART",
    "LOGNAME",
    "npm_config_port",
    "DEBUG",
  ];
  expect(unreadSettings(Object.fromEntries(names.map((name) => [name, "1"])))).toEqual([]);
});

test.each([
  "prefer",
  "require",
  "verify-ca",
  "verify-full",
])("sslmode=%s checks the certificate and the name of the server, without a warning of the driver", (mode) => {
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const { databaseUrl } = readEnv({
    DATABASE_URL: `postgres://shop:a%20b%2F@db.example.com/shop?sslmode=${mode}&host=/run/postgresql`,
  });
  const { ssl, password, host, database } = new pg.Client(databaseUrl);
  expect({ ssl, password, host, database }).toEqual({
    ssl: {},
    password: "a b/",
    host: "/run/postgresql",
    database: "shop",
  });
  expect(warn).not.toHaveBeenCalled();
});

test.each([
  "sslmode=disable",
  "sslmode=no-verify",
  "uselibpqcompat=true&sslmode=require",
  "",
])("a database address with %j stays as it is", (query) => {
  const DATABASE_URL = `postgres://shop:hunter2@db.example.com/shop?${query}`;
  expect(readEnv({ DATABASE_URL, DATABASE_DIRECT_URL: DATABASE_URL })).toMatchObject({
    databaseUrl: DATABASE_URL,
    databaseDirectUrl: DATABASE_URL,
  });
});

test("addresses over which secrets travel unencrypted are told of, unless they are of this machine", () => {
  const keys = { RAZORPAY_KEY_ID: "rzp_test_1", RAZORPAY_KEY_SECRET: "hunter2" };
  const of = (source: NodeJS.ProcessEnv) =>
    insecureAddresses(readEnv(source)).map((line) => line.split(" ")[0]);
  expect(of({ ...keys, RAZORPAY_API_URL: "http://gateway.example.com" })).toEqual(["RAZORPAY_API_URL"]);
  expect(of({ ...keys, RAZORPAY_API_URL: "http://127.0.0.1:4000" })).toEqual([]);
  expect(of({ BACKUP_S3_URL: "http://a:b@s3.example.com/bucket" })).toEqual(["BACKUP_S3_URL"]);
  expect(of({ DATABASE_URL: "postgres://a:b@db.example.com/x" })).toEqual(["DATABASE_URL"]);
  expect(of({ DATABASE_DIRECT_URL: "postgres://a:b@db.example.com/x" })).toEqual(["DATABASE_DIRECT_URL"]);
  expect(of({ DATABASE_URL: "postgres://a:b@db.example.com/x?sslmode=verify-full" })).toEqual([]);
  expect(of({ DATABASE_URL: "postgres:///x?host=/run/postgresql" })).toEqual([]);
});
