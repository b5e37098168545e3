import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Browser } from "./browser.ts";
import { Marionette } from "./marionette.ts";
import type { PageLoadStrategy } from "./webdriver.ts";

const START_TIMEOUT_MS = 60_000;
const PORT_FILE = "MarionetteActivePort";

/** The Firefox of this machine; null if there is none. */
export function findFirefox(): string | null {
  const names = ["firefox-esr", "firefox"];
  return names.find((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0) ?? null;
}

/** What Firefox keeps between two starts: cookies, storage, and the hosts of its extensions' pages. */
export class FirefoxProfile {
  readonly folder = mkdtempSync(join(tmpdir(), "daypass-firefox-"));
  /** The popup of the extension in this profile. */
  readonly popupUrl: string;

  /** @param extensionId an extension that gets a known host, which Firefox otherwise chooses at random */
  constructor(extensionId = "none") {
    const host = randomUUID();
    this.popupUrl = `moz-extension://${host}/popup.html`;
    const preferences = {
      // A free port, which Firefox writes to a file.
      "marionette.port": 0,
      "extensions.webextensions.uuids": JSON.stringify({ [extensionId]: host }),
      "app.update.disabledForTesting": true,
      "datareporting.policy.dataSubmissionEnabled": false,
      "network.captive-portal-service.enabled": false,
      // As on a phone: they take no room.
      "ui.useOverlayScrollbars": 1,
      "network.connectivity-service.enabled": false,
    };
    const lines = Object.entries(preferences).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(this.folder, "user.js"), lines.join(""));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A running Firefox without a window. */
export class Firefox extends Browser {
  readonly #process: ChildProcess;
  readonly marionette: Marionette;
  readonly profile: FirefoxProfile;

  private constructor(process: ChildProcess, marionette: Marionette, profile: FirefoxProfile) {
    super(marionette);
    this.#process = process;
    this.marionette = marionette;
    this.profile = profile;
  }

  static async start(
    program: string,
    profile: FirefoxProfile,
    pageLoadStrategy: PageLoadStrategy = "normal",
  ): Promise<Firefox> {
    const home = join(profile.folder, "home");
    mkdirSync(home, { recursive: true });
    const portFile = join(profile.folder, PORT_FILE);
    rmSync(portFile, { force: true });
    const args = [
      "--headless",
      "--marionette",
      "--remote-allow-system-access",
      "--no-remote",
      "--profile",
      profile.folder,
    ];
    const env = { PATH: process.env.PATH, HOME: home };
    const child = spawn(program, args, { stdio: "ignore", env });
    try {
      const until = performance.now() + START_TIMEOUT_MS;
      while (!existsSync(portFile) || readFileSync(portFile, "utf8") === "") {
        if (child.exitCode !== null || performance.now() > until) throw new Error("Firefox did not start");
        await delay(100);
      }
      const marionette = await Marionette.connect(Number(readFileSync(portFile, "utf8")), pageLoadStrategy);
      return new Firefox(child, marionette, profile);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  /** Gives the page a size in CSS pixels. The window itself cannot be as narrow as a phone. */
  async resizePage({ width, height }: { width: number; height: number }): Promise<void> {
    const script = `const { style } = gBrowser.selectedBrowser;
      style.setProperty("width", arguments[0] + "px");
      style.setProperty("height", arguments[1] + "px");`;
    await this.marionette.runInBrowser(script, width, height);
  }

  /** Opens the popup of the extension in the tab. WebDriver itself does not navigate to pages of extensions. */
  async openPopup(): Promise<void> {
    const script = `gBrowser.selectedBrowser.fixupAndLoadURIString(arguments[0], {
      triggeringPrincipal: Services.scriptSecurityManager.getSystemPrincipal(),
    });`;
    await this.marionette.runInBrowser(script, this.profile.popupUrl);
    await this.retry("the popup does not open", async () => {
      const url = await this.marionette.currentUrl();
      return url === this.profile.popupUrl;
    });
  }

  async quit(): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#process, "exit");
    await this.marionette.quit();
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(timer);
  }
}
