import Download from "lucide-react/icons/download";
import { isForComputers } from "#core/catalog/works-on.ts";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import { buttonClasses } from "../../ui/class-names.ts";
import { Fold } from "../../ui/regions.tsx";

interface ExtensionSectionProps {
  /** The version that the shop serves. */
  version: string;
  /** The active passes. */
  passes: readonly Pick<PassView, "toolName" | "worksOn">[];
}

/** The downloads of the browser extension and how to install them. On a phone it says what to do instead. */
export function ExtensionSection({ version, passes }: ExtensionSectionProps) {
  return (
    <section id="extension" aria-labelledby="extension-title" className="flex scroll-mt-4 flex-col gap-4">
      <div className="flex flex-col gap-1">
        <h2 id="extension-title" className="text-lg">
          Browser extension
        </h2>
        <p className="max-w-prose text-muted max-sm:hidden pointer-coarse:hidden">
          Press Click next to a server: with the extension, the server is one press away until your pass ends.
          The extension works only on this shop’s pages.
        </p>
        <p className="hidden max-w-prose text-muted max-sm:block pointer-coarse:block">
          <OnPhones passes={passes} />
        </p>
      </div>
      <div className="flex flex-col gap-4 max-sm:hidden pointer-coarse:hidden">
        <div className="flex flex-wrap items-center gap-3">
          <DownloadLink browser="chrome" name="Chrome" />
          <DownloadLink browser="firefox" name="Firefox" />
          <p className="text-muted text-xs">
            Version {version} ·{" "}
            <a href="/downloads/checksums.txt" className="underline">
              Checksums
            </a>
          </p>
        </div>
        <div className="grid gap-3 lg:grid-cols-2 lg:items-start">
          <Fold summary="How to install it in Chrome or Edge">
            <Steps>
              <li>Press Download for Chrome, then unzip the file into a folder that you keep.</li>
              <li>
                Enter <kbd className="font-mono">chrome://extensions</kbd> (in Edge:{" "}
                <kbd className="font-mono">edge://extensions</kbd>) in the address bar.
              </li>
              <li>Switch on Developer mode.</li>
              <li>Press Load unpacked and choose the folder. Reload the tool’s page afterwards.</li>
            </Steps>
          </Fold>
          <Fold summary="How to install it in Firefox">
            <Steps>
              <li>Press Download for Firefox. If Firefox asks, choose to save the file.</li>
              <li>
                Enter <kbd className="font-mono">about:debugging#/runtime/this-firefox</kbd> in the address
                bar.
              </li>
              <li>Press Load Temporary Add-on and choose the file.</li>
              <li>The extension stays until Firefox is closed. Repeat these steps after that.</li>
            </Steps>
          </Fold>
        </div>
      </div>
    </section>
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

function Steps({ children }: { children: React.ReactNode }) {
  return <ol className="flex list-decimal flex-col gap-2 px-4 pt-1 pb-4 pl-9 text-sm">{children}</ol>;
}
