import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Marionette, MarionetteError } from "./marionette.ts";

const START_TIMEOUT_MS = 60_000;
const WAIT_MS = 20_000;
const PORT_FILE = "MarionetteActivePort";

/** The Firefox of this machine; null without one. */
export function findFirefox(): string | null {
  const names = ["firefox-esr", "firefox"];
  return names.find((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0) ?? null;
}

/** What Firefox keeps between two starts: cookies, storage, and the hosts of its extensions' pages. */
export class FirefoxProfile {
  readonly folder = mkdtempSync(join(tmpdir(), "daypass-firefox-"));
  /** The popup of the extension in this profile. */
  readonly popupUrl: string;

  /** @param extensionId gets a known host, which Firefox otherwise chooses at random */
  constructor(extensionId: string) {
    const host = randomUUID();
    this.popupUrl = `moz-extension://${host}/popup.html`;
    const preferences = {
      // A free port, which Firefox writes to a file.
      "marionette.port": 0,
      "extensions.webextensions.uuids": JSON.stringify({ [extensionId]: host }),
      "app.update.disabledForTesting": true,
      "datareporting.policy.dataSubmissionEnabled": false,
      "network.captive-portal-service.enabled": false,
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
export class Firefox {
  readonly #process: ChildProcess;
  readonly marionette: Marionette;
  readonly profile: FirefoxProfile;

  private constructor(process: ChildProcess, marionette: Marionette, profile: FirefoxProfile) {
    this.#process = process;
    this.marionette = marionette;
    this.profile = profile;
  }

  static async start(program: string, profile: FirefoxProfile): Promise<Firefox> {
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
      const marionette = await Marionette.connect(Number(readFileSync(portFile, "utf8")));
      return new Firefox(child, marionette, profile);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  open(url: string): Promise<void> {
    return this.marionette.navigate(url);
  }

  /** Opens the popup of the extension in the tab. WebDriver itself does not navigate to pages of extensions. */
  async openPopup(): Promise<void> {
    const script = `gBrowser.selectedBrowser.fixupAndLoadURIString(arguments[0], {
      triggeringPrincipal: Services.scriptSecurityManager.getSystemPrincipal(),
    });`;
    await this.marionette.runInBrowser(script, this.profile.popupUrl);
    await this.#retry("the popup does not open", async () => {
      const url = await this.marionette.currentUrl();
      return url === this.profile.popupUrl;
    });
  }

  /** Clicks the element as soon as it is there and nothing covers it. */
  async click(xpath: string): Promise<void> {
    await this.#retry(`${xpath} cannot be clicked`, async () => {
      await this.marionette.clickElement(await this.marionette.find(xpath));
      return true;
    });
  }

  /** Waits until the element is there. */
  async waitFor(xpath: string): Promise<void> {
    await this.#retry(`${xpath} is missing`, async () => (await this.marionette.find(xpath)) !== "");
  }

  /** Waits until the text of the page contains `text`. */
  async waitForText(text: string): Promise<void> {
    await this.#retry(`the page does not say "${text}"`, async () => (await this.text()).includes(text));
  }

  /** The visible text of the page. */
  async text(): Promise<string> {
    return String(await this.marionette.run("return document.body.innerText"));
  }

  async count(xpath: string): Promise<number> {
    const body = "return document.evaluate('count(' + args[0] + ')', document, null, 1, null).numberValue";
    return Number(await this.marionette.run(body, xpath));
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

  /** Repeats `attempt` until it is true. A page that is loading has no element, or loses it. */
  async #retry(failure: string, attempt: () => Promise<boolean>): Promise<void> {
    const until = performance.now() + WAIT_MS;
    let cause: unknown;
    while (performance.now() < until) {
      try {
        if (await attempt()) return;
      } catch (error) {
        if (!(error instanceof MarionetteError)) throw error;
        cause = error;
      }
      await delay(100);
    }
    throw new Error(`${failure}:\n${await this.text().catch(() => "")}`, { cause });
  }
}
