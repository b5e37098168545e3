import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../tools/testing/free-port.ts";
import { Browser } from "./browser.ts";
import { HttpWebDriver } from "./http-webdriver.ts";
import type { PageLoadStrategy } from "./webdriver.ts";

const START_TIMEOUT_MS = 30_000;

/** Opens a window without a toolbar: one with a toolbar is at least 447 pixels wide. */
const NEW_WINDOW_PAGE = `data:text/html,<button onclick="open('about:blank', '', 'popup')">Open</button>`;

/** The small browser of WebKitGTK on this machine; null when it, its driver or Xvfb (a screen in memory) is missing. */
export function findWebKit(): string | null {
  const programs = ["WebKitWebDriver", "Xvfb"];
  if (programs.some((name) => spawnSync(name, ["-help"], { stdio: "ignore" }).error)) return null;
  return globSync("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")[0] ?? null;
}

/** A running WebKit with a window on a screen of its own. Each one has new cookies and storage. */
export class WebKit extends Browser {
  readonly #driver: HttpWebDriver;
  readonly #processes: ChildProcess[];

  private constructor(driver: HttpWebDriver, processes: ChildProcess[]) {
    super(driver);
    this.#driver = driver;
    this.#processes = processes;
  }

  /** @param program the small browser */
  static async start(program: string, pageLoadStrategy: PageLoadStrategy): Promise<WebKit> {
    const screen = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    const processes = [screen];
    try {
      const display = await readDisplay(screen);
      const port = await freePort();
      const env = { ...process.env, DISPLAY: `:${display}` };
      processes.unshift(spawn("WebKitWebDriver", [`--port=${port}`], { stdio: "ignore", env }));
      const url = `http://127.0.0.1:${port}`;
      await waitForDriver(url);
      const capabilities = { "webkitgtk:browserOptions": { binary: program, args: ["--automation"] } };
      const webKit = new WebKit(await HttpWebDriver.connect(url, pageLoadStrategy, capabilities), processes);
      await webKit.#openPlainWindow();
      return webKit;
    } catch (error) {
      for (const child of processes) child.kill("SIGKILL");
      throw error;
    }
  }

  resizePage({ width, height }: { width: number; height: number }): Promise<void> {
    return this.#driver.resizeWindow(width, height);
  }

  async quit(): Promise<void> {
    await this.#driver.quit().catch(() => undefined);
    for (const child of this.#processes) {
      const ended = once(child, "exit");
      if (child.kill()) await ended;
    }
  }

  async #openPlainWindow(): Promise<void> {
    await this.open(NEW_WINDOW_PAGE);
    await this.click("//button");
    await this.retry("no window opens", () => this.#driver.moveToOtherWindow());
  }
}

/** The number of the screen, which Xvfb chooses. */
async function readDisplay(screen: ChildProcess): Promise<string> {
  const pipe = screen.stdio[3];
  if (!pipe || !("read" in pipe)) throw new Error("Xvfb has no pipe");
  const [line] = await once(pipe, "data", { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
  return String(line).trim();
}

async function waitForDriver(url: string): Promise<void> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < until) {
    const response = await fetch(`${url}/status`).catch(() => undefined);
    if (response?.ok) return;
    await delay(50);
  }
  throw new Error("WebKitWebDriver did not start");
}
