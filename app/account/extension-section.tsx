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
import { withStorage } from "../ui/optional-interfaces.ts";
import { Fold } from "../ui/regions.tsx";
import { PartlyHidden } from "../ui/text.tsx";
import { type Elements, t, tNodes } from "../ui/texts/texts.ts";
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
          {t("Browser extension")}
        </h2>
        <p className="max-w-prose text-muted max-sm:hidden pointer-coarse:hidden">
          {t(
            "With it, Click opens the tool in a new tab and keeps the code ready under the Daypass icon. It works only on this shop’s pages and never reads other sites.",
          )}
        </p>
        <p className="hidden max-w-prose text-muted max-sm:block pointer-coarse:block">
          <OnPhones passes={passes} />
        </p>
      </div>
      <div className="flex flex-col gap-4 max-sm:hidden pointer-coarse:hidden">
        <div className="flex flex-wrap items-center gap-3 lg:[&>a]:grow">
          {storeUrl === null ? null : (
            <a
              href={storeUrl}
              target="_blank"
              rel="noopener noreferrer"
              className={buttonClasses({ variant: "strong" })}
            >
              <PartlyHidden
                text={t("Add to your browser, opens the store")}
                shown={t("Add to your browser")}
              />
              <ExternalLink className="size-4" aria-hidden="true" />
            </a>
          )}
          <DownloadLink browser="chrome" name="Chrome" />
          <DownloadLink browser="firefox" name="Firefox" />
          <p className="text-muted text-xs">
            <span>{`${t("Version {version}", { version })} · `}</span>
            <a href="/downloads/checksums.txt" className="underline">
              {t("Checksums")}
            </a>
          </p>
        </div>
        {storeUrl === null ? (
          <ChromeSteps />
        ) : (
          <Fold summary={t("How to install it in Chrome or Edge")}>
            <div className="p-4 pt-1">
              <ChromeSteps />
            </div>
          </Fold>
        )}
        <Fold summary={t("How to install it in Firefox")}>
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
    <Steps label={t("How to install it in Chrome or Edge")}>
      <Step picture={<FilePicture unzipped />}>
        {t("Press Download for Chrome, then unzip the file into a folder that you keep.")}
      </Step>
      <Step picture={<LoadPicture button={t("Load unpacked")} hasSwitch />}>
        {tNodes(
          "Open {chrome} (in Edge: {edge}), switch on Developer mode, press Load unpacked and choose the folder.",
          {
            chrome: <Address key="chrome" page="chrome://extensions" />,
            edge: <Address key="edge" page="edge://extensions" />,
          },
        )}
      </Step>
      <Step picture={<IconPicture />}>
        {t(
          "Press the puzzle piece at the top right and pin Daypass. Then reload the tool’s page and press Click.",
        )}
      </Step>
    </Steps>
  );
}

function FirefoxSteps() {
  return (
    <Steps label={t("How to install it in Firefox")}>
      <Step picture={<FilePicture unzipped={false} />}>
        {t("Press Download for Firefox. If Firefox asks, choose to save the file.")}
      </Step>
      <Step picture={<LoadPicture button={t("Load Temporary Add-on")} hasSwitch={false} />}>
        {tNodes("Open {page}, press Load Temporary Add-on and choose the file.", {
          page: <Address key="page" page="about:debugging#/runtime/this-firefox" />,
        })}
      </Step>
      <Step picture={<IconPicture />}>
        {t(
          "Press the puzzle piece and pin Daypass. It stays until Firefox is closed; repeat these steps after that.",
        )}
      </Step>
    </Steps>
  );
}

/** Whether the tools of a buyer work on a phone is what their owner says about them. */
function OnPhones({ passes }: Pick<ExtensionSectionProps, "passes">) {
  const forComputers = passes.filter(({ worksOn }) => isForComputers(worksOn ?? []));
  const names = [...new Set(forComputers.map(({ toolName }) => toolName))];
  const hasOthers = forComputers.length < passes.length;
  const sentences = [
    ...(names.length === 0 ? [] : [needComputers(names)]),
    ...(names.length > 0 && !hasOthers
      ? []
      : [
          t(
            names.length > 0
              ? "You don’t need the extension for your other tools on a phone: open a tool and press Show code."
              : "You don’t need the extension on a phone: open a tool and press Show code.",
          ),
        ]),
    t("The extension is for Chrome, Edge and Firefox on a computer."),
  ];
  return <span>{sentences.join(" ")}</span>;
}

function needComputers(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  if (names.length === 1) return t("{tool} needs a computer.", { tool: last });
  return t("{tools} and {last} need a computer.", { tools: names.slice(0, -1).join(", "), last });
}

function DownloadLink({ browser, name }: { browser: string; name: string }) {
  return (
    <a href={`/downloads/daypass-${browser}.zip`} download className={buttonClasses({ variant: "plain" })}>
      <Download className="size-4" aria-hidden="true" />
      <span>{t("Download for {browser}", { browser: name })}</span>
    </a>
  );
}

function Steps({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ol aria-label={label} className="grid max-w-[56rem] gap-4 max-md:max-w-72 md:max-lg:grid-cols-3">
      {children}
    </ol>
  );
}

function Step({ picture, children }: { picture: Elements; children: ReactNode }) {
  return (
    <li className="flex flex-col gap-2 lg:flex-row lg:items-center lg:gap-4 lg:[&>svg]:w-36 lg:[&>svg]:shrink-0">
      {picture}
      <p className="text-pretty text-sm">{children}</p>
    </li>
  );
}

/** Typed into the address bar: browsers follow no link to such a page. */
function Address({ page }: { page: string }) {
  return <kbd className="wrap-anywhere font-mono">{page}</kbd>;
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
            {t("Extension Update Available")}
          </h2>
          <p className="text-muted text-sm">
            <span>{`${
              installed === null
                ? t(
                    "With the browser extension, Click opens a tool and keeps its code at hand. You can download version {version} on this page.",
                    { version },
                  )
                : t(
                    "You can download version {version} of the browser extension on this page; you have {installed}.",
                    { version, installed },
                  )
            } `}</span>
            <a href="#extension" className="text-accent underline">
              {t("How to install it")}
            </a>
          </p>
        </div>
        <Button size="small" onClick={dismiss}>
          {t("Got it, thanks!")}
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
  // Where nothing can be stored, the notice would come back on each visit.
  return withStorage("local", (storage) => storage.getItem(SEEN_KEY) === version) ?? true;
}

function rememberSeen(version: string): void {
  withStorage("local", (storage) => storage.setItem(SEEN_KEY, version));
}
