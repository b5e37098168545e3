import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@playwright/test";
import { freePort } from "../free-port.ts";
import { test } from "./fixtures.ts";
import { ShopPage } from "./shop-page.ts";
import { makeDataDir, startShopProcess } from "./shop-process.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

test.describe.configure({ timeout: 300_000 });

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const run = (file: string, args: readonly string[], cwd: string) =>
  execFileSync(file, args, { cwd, stdio: "pipe" });

/** The release of this code, and others that are made from it. */
class Releases {
  readonly folder = mkdtempSync(join(tmpdir(), "daypass-releases-"));
  readonly #first: string;
  constructor() {
    run(process.execPath, ["bin/daypass.mjs", "exec", "bin/write-release.ts", this.folder], ROOT);
    this.#first = run("sh", ["-c", "ls *.tgz"], this.folder).toString().trim();
  }

  unpack(into: string): void {
    run("tar", ["-xzf", join(this.folder, this.#first), "-C", into, "--strip-components=1"], this.folder);
  }

  /** @param failure is added to the code that starts the shop */
  make(version: string, failure = ""): string {
    const code = join(this.folder, `daypass-${version}`);
    run("tar", ["-xzf", this.#first], this.folder);
    renameSync(join(this.folder, this.#first.replace(".tgz", "")), code);
    const manifest = join(code, "package.json");
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, "utf8")), version }));
    appendFileSync(join(code, "server", "main.ts"), failure);
    run("tar", ["-czf", `${code}.tgz`, `daypass-${version}`], this.folder);
    rmSync(code, { recursive: true });
    writeFileSync(`${code}.tgz.sha256`, run("sha256sum", [`daypass-${version}.tgz`], this.folder));
    return `${code}.tgz`;
  }
}

test("an upgrade keeps sessions and passes; a version that does not start is given up, and a killed upgrade harms nothing", async ({
  browser,
}) => {
  // The packages of this repository are in npm's cache, so the journey needs no network.
  process.env.npm_config_prefer_offline = "true";
  const releases = new Releases();
  const home = makeDataDir();
  chmodSync(home, 0o755);
  releases.unpack(home);
  run("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], home);
  const [megabytes] = run("du", ["-sm", "node_modules"], home).toString().split("\t");
  expect(Number(megabytes)).toBeLessThan(150);
  const port = await freePort();
  // Restarts by itself, as npm start does.
  const shop = await startShopProcess({
    root: home,
    dataDir: join(home, "data"),
    port,
    settings: { NO_RESTART: "" },
  });
  try {
    const upgrade = (args: readonly string[], killAt?: string) => runUpgrade(home, port, args, killAt);
    const current = () =>
      JSON.parse(readFileSync(join(home, ".releases", "current"), "utf8")).release as string | null;
    const context = await browser.newContext({ baseURL: shop.url });
    const buyer = new ShopPage(await context.newPage());
    await buyer.open("/");
    await signInAsNewUser(buyer.page);
    await buyPass(buyer.page, "canva", "7 Days");
    const expectPass = async () => {
      await expect
        .poll(
          () =>
            fetch(`${shop.url}/readyz`).then(
              ({ ok }) => ok,
              () => false,
            ),
          { timeout: 60_000 },
        )
        .toBe(true);
      await buyer.open("/dashboard");
      await expect(buyer.heading("Canva")).toBeVisible();
    };
    await expectPass();

    await test.step("the new version takes over, and the buyer is still signed in", async () => {
      const { code, output } = await upgrade([releases.make("9.0.1")]);
      expect(output).toMatch(
        /Backup: .*before-upgrade-daypass-.*\nThe shop restarts with the new version …\nVersion 9\.0\.1-\w+ runs\./,
      );
      expect(code).toBe(0);
      await expectPass();
    });

    await test.step("a version that does not start is given up", async () => {
      const { code, output } = await upgrade([releases.make("9.0.2", "\nthrow new Error('broken');\n")]);
      expect(output).toMatch(
        /Version 9\.0\.2-\w+ does not work: its log says why\. Version 9\.0\.1-\w+ is back\./,
      );
      expect(code).toBe(1);
      expect(current()).toMatch(/^9\.0\.1-/);
      await expectPass();
    });

    await test.step("an upgrade that is killed at any step can be repeated", async () => {
      const archive = releases.make("9.0.3");
      for (const step of ["Installing", "Backing up", "The shop restarts"]) {
        await upgrade([archive], step);
        await expectPass();
      }
      expect((await upgrade([archive])).output).toMatch(/Version 9\.0\.3-\w+ runs\./);
      expect(current()).toMatch(/^9\.0\.3-/);
      await expectPass();
    });

    await test.step("the owner goes back by hand", async () => {
      const { code, output } = await upgrade(["--back"]);
      expect(output).toMatch(/Version 9\.0\.1-\w+ runs\./);
      expect(code).toBe(0);
      await expectPass();
    });
    await context.close();
  } finally {
    await shop.stop();
    rmSync(home, { recursive: true, force: true });
    rmSync(releases.folder, { recursive: true, force: true });
  }
});

/** @param killAt ends the command by SIGKILL once it says this */
async function runUpgrade(home: string, port: number, args: readonly string[], killAt?: string) {
  const command = spawn(process.execPath, ["bin/daypass.mjs", "upgrade", ...args], {
    cwd: home,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      // With the settings of npm.
      ...process.env,
      PORT: String(port),
      DEMO: "1",
      LIMITS_PER_ADDRESS: "0",
    },
  });
  let output = "";
  for (const stream of [command.stdout, command.stderr])
    stream.on("data", (chunk) => {
      output += String(chunk);
      if (killAt !== undefined && output.includes(killAt)) command.kill("SIGKILL");
    });
  const [code] = await once(command, "close");
  return { code, output };
}
