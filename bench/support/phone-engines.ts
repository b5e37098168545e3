import { installPackages } from "../../tools/install-packages.ts";
import type { Browser } from "./browser.ts";
import { Firefox, FirefoxProfile, findFirefox } from "./firefox.ts";
import { findWebKit, WebKit } from "./webkit.ts";

/** The page of a phone, in CSS pixels. */
const PHONE = { width: 390, height: 844 };

export interface PhoneEngine {
  name: string;
  /** Starts a browser with new cookies and storage and the page of a phone, does `work`, and closes it. */
  use(work: (browser: Browser) => Promise<void>): Promise<void>;
}

const FINDERS = { webkit: findWebKitEngine, firefox: findFirefoxEngine };

/**
 * Finds the browsers of this machine, and installs those that are missing where it may.
 *
 * @param name of a single one
 * @throws Error that says what is missing
 */
export async function findPhoneEngines(
  name: string | undefined,
  log: (line: string) => void,
): Promise<PhoneEngine[]> {
  const engines: PhoneEngine[] = [];
  for (const [known, find] of Object.entries(FINDERS)) {
    if (name === undefined || name === known) engines.push(await find(log));
  }
  if (engines.length === 0) throw new Error(`There is no browser ${name}: webkit or firefox.`);
  return engines;
}

/** The engine of the browsers on iPhones, in the small browser of WebKitGTK. */
async function findWebKitEngine(log: (line: string) => void): Promise<PhoneEngine> {
  const packages = ["webkit2gtk-driver", "libwebkit2gtk-4.1-0", "xvfb"];
  const program = await findOrInstall("WebKit", findWebKit, packages, log);
  const use: PhoneEngine["use"] = async (work) => {
    const webKit = await WebKit.start(program, "none");
    try {
      await webKit.resizePage(PHONE);
      await work(webKit);
    } finally {
      await webKit.quit();
    }
  };
  return { name: "WebKit", use };
}

async function findFirefoxEngine(log: (line: string) => void): Promise<PhoneEngine> {
  const program = await findOrInstall("Firefox", findFirefox, ["firefox-esr"], log);
  const use: PhoneEngine["use"] = async (work) => {
    const profile = new FirefoxProfile();
    try {
      const firefox = await Firefox.start(program, profile, "none");
      try {
        await firefox.resizePage(PHONE);
        await work(firefox);
      } finally {
        await firefox.quit();
      }
    } finally {
      profile.remove();
    }
  };
  return { name: "Firefox", use };
}

async function findOrInstall(
  name: string,
  find: () => string | null,
  packages: readonly string[],
  log: (line: string) => void,
): Promise<string> {
  const found = find();
  if (found !== null) return found;
  await installPackages(packages, log);
  const installed = find();
  if (installed !== null) return installed;
  throw new Error(
    `No ${name} that can be driven on this machine. On Debian: apt-get install ${packages.join(" ")}`,
  );
}
