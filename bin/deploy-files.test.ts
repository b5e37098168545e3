import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { settings, variableOf } from "#server/env/settings.ts";
import { ROOT } from "./run-command.ts";

const read = (name: string) => readFileSync(`${ROOT}/${name}`, "utf8");
const VARIABLES = [...Object.keys(settings.shape).map(variableOf), "NO_RESTART"];
const START: string = JSON.parse(read("package.json")).scripts.start.replace("exec node ", "");

/** The values of a key in a unit file, in order. */
const ofUnit = (key: string) =>
  read("deploy/daypass.service")
    .split("\n")
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));

/** The instructions of the Containerfile, with continued lines in one. */
const INSTRUCTIONS = read("deploy/Containerfile")
  .replaceAll("\\\n", "")
  .split("\n")
  .filter((line) => /^[A-Z]+ /.test(line));
const ofImage = (name: string) =>
  INSTRUCTIONS.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
const IMAGE_VARIABLES = Object.fromEntries(
  ofImage("ENV").flatMap((line) => line.split(" ").map((pair) => pair.split("=", 2))),
);

test("the service, the image and npm start the shop in the same way", () => {
  expect(ofUnit("ExecStart")).toEqual([`/usr/bin/node ${START}`]);
  expect(ofImage("CMD").map((line) => JSON.parse(line).join(" "))).toEqual([`node ${START}`]);
  expect(ofUnit("Environment")).toContain("NO_RESTART=1");
  expect(IMAGE_VARIABLES).toMatchObject({ NO_RESTART: "1", HOST: "0.0.0.0", PORT: "3000" });
});

test("the service restarts a shop that waits for its database without end, and lets it write in its folder", () => {
  expect([ofUnit("Restart"), ofUnit("StartLimitIntervalSec")]).toEqual([["on-failure"], ["0"]]);
  const writable = ofUnit("ReadWritePaths")[0] ?? "";
  expect(ofUnit("WorkingDirectory")[0]).toMatch(new RegExp(`^${writable}/`));
  expect(parseEnv(read("deploy/daypass.env.example")).DATA_DIR).toMatch(new RegExp(`^${writable}/`));
});

test("the files set only variables that the shop has", () => {
  const ofExample = Object.keys(parseEnv(read("deploy/daypass.env.example")));
  expect(ofExample.length).toBeGreaterThan(10);
  const all = [...ofExample, ...Object.keys(IMAGE_VARIABLES).filter((name) => name !== "NODE_ENV")];
  expect(all.filter((name) => !VARIABLES.includes(name))).toEqual([]);
});

test("the image runs without root, writes to DATA_DIR only, and copies what its build makes", () => {
  expect(ofImage("USER")).toEqual(["10001:10001"]);
  expect(ofImage("VOLUME")).toEqual([IMAGE_VARIABLES.DATA_DIR]);
  expect(ofImage("COPY")).toEqual([
    ". .",
    "--from=build /usr/local/bin/node /usr/local/bin/node",
    "--from=build /release /srv/daypass",
  ]);
  const [, module = ""] = /from '\/source\/(bin\/[^']+)'/.exec(read("deploy/Containerfile")) ?? [];
  expect(existsSync(`${ROOT}/${module}`)).toBe(true);
});

test("the image's build gets every file of the repository that it needs, and no secrets", () => {
  const left = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  // What bin/build.mjs reads and bin/write-release.ts packs.
  const needed = [
    "adapters",
    "app",
    "bin",
    "build",
    "contracts",
    "core",
    "db",
    "deploy",
    "docs",
    "extension",
    "import-old-shop",
    "languages",
  ];
  const configuration = ["package.json", "package-lock.json", ".npmrc", "public", "server", "vite.config.ts"];
  expect([...needed, ...configuration].filter((path) => left.includes(path))).toEqual([]);
  expect(left).toEqual(expect.arrayContaining([".git", "data", "backups", "**/.env", "**/node_modules"]));
});

// The package yaml is there for other packages.
const readCompose = (name: string) =>
  JSON.parse(
    execFileSync(process.execPath, [`${ROOT}/node_modules/yaml/bin.mjs`, "--json", "--strict", "--single"], {
      input: read(`deploy/${name}`),
      encoding: "utf8",
    }),
  );

test.skipIf(!existsSync(`${ROOT}/node_modules/yaml/bin.mjs`))(
  "the compose files run this version of the shop, and every service without rights that it does not need",
  () => {
    const { services, networks } = readCompose("compose.yaml");
    const added = readCompose("compose.postgres.yaml").services;
    const { version } = JSON.parse(read("package.json"));
    expect(services.shop.image).toBe(`localhost/daypass:${version}`);
    expect(existsSync(`${ROOT}/${services.shop.build.dockerfile}`)).toBe(true);
    expect(services.shop.environment.TRUSTED_PROXIES).toBe(networks.front.ipam.config[0].subnet);
    // A small private network, and not everybody.
    expect(services.shop.environment.TRUSTED_PROXIES).toMatch(/^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+\/24$/);
    const variables = [services.shop, added.shop].flatMap((one) => Object.keys(one.environment));
    expect(variables.filter((name) => !VARIABLES.includes(name))).toEqual([]);
    for (const service of [services.shop, services.caddy, added.postgres]) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges"],
        restart: "unless-stopped",
      });
      expect(service.mem_limit).toMatch(/^\d+[mg]$/);
      // A version by name, not only "latest".
      expect(service.image).toMatch(/:\d+\.\d+/);
    }
  },
);

test("the proxies pass requests to the port of the shop, and their logs have no query", () => {
  const [caddy, nginx] = [read("deploy/Caddyfile"), read("deploy/nginx.conf")];
  const address = `127.0.0.1:${IMAGE_VARIABLES.PORT}`;
  expect(caddy).toContain(`reverse_proxy {$SHOP:${address}}`);
  expect(nginx).toContain(`proxy_pass http://${address};`);
  expect(caddy).toContain(String.raw`request>uri regexp "\?.*" ""`);
  const [, format = ""] = /log_format daypass ([^;]+);/.exec(nginx) ?? [];
  expect(format).toContain("$uri");
  expect(format).not.toMatch(/request_uri|\$request\b|args|referer/);
});
