import Download from "lucide-react/icons/download";
import ExternalLink from "lucide-react/icons/external-link";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { isOlderVersion } from "#contracts/compare-versions.ts";
import { isForComputers } from "#core/catalog/rules.ts";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import { useQuietTime } from "../checkout/quiet-time.ts";
import { askForExtension } from "../tools/extension/extension-presence.ts";
import { Button } from "../ui/button.tsx";
import { buttonClasses } from "../ui/class-names.ts";
import { Fold } from "../ui/regions.tsx";
import { VisuallyHidden } from "../ui/text.tsx";
import { FilePicture, IconPicture, LoadPicture } from "./extension-pictures.tsx";

interface ExtensionSectionProps {
  /** The version that the shop serves. */
  version: string;
  /** Where the owner has published the extension; null: nowhere. */
  storeUrl: string | null;
  /** The active passes. */
  passes: readonly Pick<PassView, "toolName" | "worksOn">[];
}

/** The downloads of the browser extension and how to install them. On a phone it says what to do instead. */
export function ExtensionSection({ version, storeUrl, passes }: ExtensionSectionProps) {
  return (
    <section id="extension" aria-labelledby="extension-title" className="flex scroll-mt-4 flex-col gap-4">
      <div className="flex flex-col gap-1">
        <h2 id="extension-title" className="text-lg">
          Browser extension
        </h2>
        <p className="max-w-prose text-muted max-sm:hidden pointer-coarse:hidden">
          With it, Click opens the tool in a new tab and puts the code behind the Daypass icon. It works only
          on this shop’s pages and reads no others.
        </p>
        <p className="hidden max-w-prose text-muted max-sm:block pointer-coarse:block">
          <OnPhones passes={passes} />
        </p>
      </div>
      <div className="flex flex-col gap-4 max-sm:hidden pointer-coarse:hidden">
        <div className="flex flex-wrap items-center gap-3">
          {storeUrl === null ? null : (
            <a
              href={storeUrl}
              target="_blank"
              rel="noopener noreferrer"
              className={buttonClasses({ variant: "strong" })}
            >
              Add to your browser
              <ExternalLink className="size-4" aria-hidden="true" />
              <VisuallyHidden>, opens the store</VisuallyHidden>
            </a>
          )}
          <DownloadLink browser="chrome" name="Chrome" />
          <DownloadLink browser="firefox" name="Firefox" />
          <p className="text-muted text-xs">
            Version {version} ·{" "}
            <a href="/downloads/checksums.txt" className="underline">
              Checksums
            </a>
          </p>
        </div>
        {storeUrl === null ? (
          <ChromeSteps />
        ) : (
          <Fold summary="How to install it in Chrome or Edge">
            <div className="p-4 pt-1">
              <ChromeSteps />
            </div>
          </Fold>
        )}
        <Fold summary="How to install it in Firefox">
          <div className="p-4 pt-1">
            <FirefoxSteps />
          </div>
        </Fold>
      </div>
    </section>
  );
}

function ChromeSteps() {
  return (
    <Steps label="How to install it in Chrome or Edge">
      <Step picture={<FilePicture unzipped />}>
        Press Download for Chrome, then unzip the file into a folder that you keep.
      </Step>
      <Step picture={<LoadPicture button="Load unpacked" hasSwitch />}>
        Open <Address>chrome://extensions</Address> (in Edge: <Address>edge://extensions</Address>), switch on
        Developer mode, press Load unpacked and choose the folder.
      </Step>
      <Step picture={<IconPicture />}>
        Press the puzzle piece at the top right and pin Daypass. Then reload the tool’s page and press Click.
      </Step>
    </Steps>
  );
}

function FirefoxSteps() {
  return (
    <Steps label="How to install it in Firefox">
      <Step picture={<FilePicture unzipped={false} />}>
        Press Download for Firefox. If Firefox asks, choose to save the file.
      </Step>
      <Step picture={<LoadPicture button="Load Temporary Add-on" hasSwitch={false} />}>
        Open <Address>about:debugging#/runtime/this-firefox</Address>, press Load Temporary Add-on and choose
        the file.
      </Step>
      <Step picture={<IconPicture />}>
        Press the puzzle piece and pin Daypass. It stays until Firefox is closed; repeat these steps after
        that.
      </Step>
    </Steps>
  );
}

/** Whether the tools of a buyer work on a phone is what their owner says about them. */
function OnPhones({ passes }: Pick<ExtensionSectionProps, "passes">) {
  const forComputers = passes.filter(({ worksOn }) => isForComputers(worksOn ?? []));
  const names = [...new Set(forComputers.map(({ toolName }) => toolName))];
  const hasOthers = forComputers.length < passes.length;
  return (
    <>
      {names.length === 0 ? null : `${listOf(names)} ${names.length === 1 ? "needs" : "need"} a computer. `}
      {names.length > 0 && !hasOthers
        ? null
        : `You don’t need the extension ${names.length > 0 ? "for your other tools " : ""}on a phone: open a tool and press Show code. `}
      The extension is for Chrome, Edge and Firefox on a computer.
    </>
  );
}

const listOf = (names: readonly string[]) => new Intl.ListFormat("en-GB").format(names);

function DownloadLink({ browser, name }: { browser: string; name: string }) {
  return (
    <a href={`/downloads/daypass-${browser}.zip`} download className={buttonClasses({ variant: "plain" })}>
      <Download className="size-4" aria-hidden="true" />
      Download for {name}
    </a>
  );
}

function Steps({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ol aria-label={label} className="grid max-w-[56rem] gap-4 max-md:max-w-72 md:grid-cols-3">
      {children}
    </ol>
  );
}

function Step({ picture, children }: { picture: ReactNode; children: ReactNode }) {
  return (
    <li className="flex flex-col gap-2">
      {picture}
      <p className="text-pretty text-sm">{children}</p>
    </li>
  );
}

/** Typed into the address bar: browsers follow no link to such a page. */
function Address({ children }: { children: string }) {
  return <kbd className="wrap-anywhere font-mono">{children}</kbd>;
}

const SHOWN_AFTER_MS = 500;
/** Such a browser has no extensions; the section of the downloads is hidden there by the same rule. */
const PHONE = "(pointer: coarse), (width < 40rem)";
const SEEN_KEY = "daypass.extension-update";

/**
 * Says that a version of the extension is available, when the installed one is older or unknown: on each visit, until
 * the buyer dismisses that version in this browser. It is not modal, because it is about something that can wait. Phones
 * have no extension.
 */
export function UpdateNotice({ version }: { version: string }) {
  /** null while no extension has answered. */
  const [installed, setInstalled] = useState<string | null>(null);
  const [isDue, setIsDue] = useState(false);

  useEffect(() => askForExtension((presence) => setInstalled(presence.version)), []);
  useEffect(() => {
    if (wasSeen(version) || window.matchMedia(PHONE).matches) return;
    const timer = setTimeout(() => setIsDue(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [version]);

  const dismiss = useCallback(() => {
    setIsDue(false);
    rememberSeen(version);
  }, [version]);
  const isQuiet = useQuietTime();
  const isShown = isDue && !isQuiet && (installed === null || isOlderVersion(installed, version));
  const notice = useFocusWhileShown(isShown, dismiss);

  if (!isShown) return null;
  return (
    <>
      {/* So that everything below the notice can be scrolled out from under it. */}
      <div aria-hidden="true" className="h-60" />
      <section
        ref={notice}
        tabIndex={-1}
        role="dialog"
        aria-modal="false"
        aria-labelledby="extension-update"
        data-sound="notification"
        className="appear fixed right-4 bottom-4 z-20 flex max-w-80 flex-col gap-3 rounded-ticket border border-line bg-card p-4 shadow-float outline-none"
      >
        <div className="flex flex-col gap-1">
          <h2 id="extension-update" className="text-base">
            Extension Update Available
          </h2>
          <p className="text-muted text-sm">
            {installed === null
              ? `With the browser extension, Click opens a tool and keeps its code at hand. You can download version ${version} on this page.`
              : `You can download version ${version} of the browser extension on this page; you have ${installed}.`}{" "}
            <a href="#extension" className="text-accent underline">
              How to install it
            </a>
          </p>
        </div>
        <Button size="small" variant="strong" onClick={dismiss}>
          Got it, thanks!
        </Button>
      </section>
    </>
  );
}

/**
 * Focuses the notice when it appears, but takes the focus from nobody who is typing or has a dialog open. Escape closes it
 * from wherever the focus is, and gives the focus back.
 */
function useFocusWhileShown(isShown: boolean, dismiss: () => void) {
  const notice = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isShown) return;
    const before = document.activeElement;
    const isBusy = before?.matches("input, textarea, select, [aria-modal=true] *") ?? false;
    if (!isBusy) notice.current?.focus({ preventScroll: true });
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) dismiss();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      if (document.activeElement !== document.body) return;
      const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected;
      (isThere ? before : document.getElementById("content"))?.focus({ preventScroll: true });
    };
  }, [isShown, dismiss]);
  return notice;
}

function wasSeen(version: string): boolean {
  try {
    return localStorage.getItem(SEEN_KEY) === version;
  } catch {
    // Nothing can be stored in this browser, so the notice would come back on each visit.
    return true;
  }
}

function rememberSeen(version: string): void {
  try {
    localStorage.setItem(SEEN_KEY, version);
  } catch {
    // It comes back on the next visit.
  }
}
