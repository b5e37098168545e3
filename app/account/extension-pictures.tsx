import type { ReactNode } from "react";
import { t } from "../ui/texts/texts.ts";

/** Our own drawings of the three steps of an installation. Decorative: the text below each says the same. */

function Picture({ children }: { children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 240 112"
      aria-hidden="true"
      className="w-full rounded-control border border-line bg-paper stroke-[1.5]"
    >
      {children}
    </svg>
  );
}

const TICKET =
  "M2 0h22a2 2 0 0 1 2 2v3.5a3 3 0 0 0 0 6V15a2 2 0 0 1-2 2H2a2 2 0 0 1-2-2v-3.5a3 3 0 0 0 0-6V2a2 2 0 0 1 2-2Z";

/** The mark of the extension. */
function Ticket({ x, y }: { x: number; y: number }) {
  return (
    <g transform={`translate(${x} ${y})`} className="stroke-none">
      <path d={TICKET} className="fill-marigold" />
      <rect x="7" y="7.25" width="8" height="2.5" rx="1.25" className="fill-on-marigold" />
    </g>
  );
}

/** The downloaded file, and what becomes of it: a folder, or the same file. */
export function FilePicture({ unzipped }: { unzipped: boolean }) {
  return (
    <Picture>
      <path
        d={unzipped ? "M40 26h30l14 14v48H40Z" : "M98 26h30l14 14v48H98Z"}
        className="fill-card stroke-field"
        strokeLinejoin="round"
      />
      <path d={unzipped ? "M62 26v44" : "M120 26v44"} strokeDasharray="4 4" className="stroke-field" />
      {unzipped ? (
        <>
          <path d="M104 57h26m-8-8 8 8-8 8" fill="none" className="stroke-ink" strokeLinecap="round" />
          <path
            d="M152 40a4 4 0 0 1 4-4h14l6 7h22a4 4 0 0 1 4 4v36a4 4 0 0 1-4 4h-42a4 4 0 0 1-4-4Z"
            className="fill-card stroke-field"
          />
          <Ticket x={164} y={57} />
        </>
      ) : (
        <path d="M76 46v20m-8-8 8 8 8-8m-18 22h20" fill="none" className="stroke-ink" strokeLinecap="round" />
      )}
    </Picture>
  );
}

/** The browser's page of extensions. */
export function LoadPicture({ button, hasSwitch }: { button: string; hasSwitch: boolean }) {
  const width = 7 * button.length + 22;
  return (
    <Picture>
      <rect x="20" y="14" width="200" height="84" rx="8" className="fill-card stroke-field" />
      <path d="M20 34h200" className="stroke-line" />
      <rect x="32" y="20" width="112" height="8" rx="4" className="fill-line" />
      {hasSwitch ? (
        <g className="stroke-none">
          <text x="180" y="51" textAnchor="end" className="fill-muted text-[10px]">
            {t("Developer mode")}
          </text>
          <rect x="186" y="42" width="22" height="12" rx="6" className="fill-marigold" />
          <circle cx="202" cy="48" r="4" className="fill-on-marigold" />
        </g>
      ) : null}
      <rect x="32" y="64" width={width} height="22" rx="6" className="fill-strong stroke-none" />
      <text
        x={32 + width / 2}
        y="78.5"
        textAnchor="middle"
        className="fill-on-strong stroke-none font-semibold text-[10px]"
      >
        {button}
      </text>
      <path
        d={`m${22 + width} 78 4.5 15 3-6 6.5-1.5Z`}
        className="fill-card stroke-ink"
        strokeLinejoin="round"
      />
    </Picture>
  );
}

/** The toolbar of the browser with the icon of the extension. */
export function IconPicture() {
  return (
    <Picture>
      <rect x="12" y="24" width="216" height="34" rx="10" className="fill-card stroke-field" />
      <rect x="24" y="35" width="110" height="12" rx="6" className="fill-line" />
      <rect x="148" y="28" width="40" height="26" rx="8" className="fill-marigold/20 stroke-marigold" />
      <Ticket x={155} y={32.5} />
      <path
        d="M200 36h5a2.5 2.5 0 1 1 5 0h5v5a2.5 2.5 0 1 0 0 5v4h-15Z"
        className="fill-card stroke-field"
        strokeLinejoin="round"
      />
      <path d="M168 58v9" className="stroke-field" />
      <rect x="112" y="67" width="112" height="32" rx="8" className="fill-card stroke-field" />
      <rect x="122" y="78" width="54" height="10" rx="3" className="fill-line" />
      <rect x="184" y="75" width="32" height="16" rx="5" className="fill-strong" />
      <path d="m194 83 4 4 8-8" fill="none" className="stroke-on-strong" strokeLinecap="round" />
    </Picture>
  );
}
