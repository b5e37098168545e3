import type { CSSProperties } from "react";
import { classNames } from "./class-names.ts";

interface LogoTileProps {
  /** Determines the letter, the colour and the shape, so that a name always has the same tile. */
  name: string;
  /** SVG path data in a 24 × 24 box, shown instead of the letter. */
  icon?: string | null;
  /** Class names for another size. */
  className?: string;
}

/** A tile with an icon or a first letter. Decorative: show the name beside it. */
export function LogoTile({ name, icon, className = "size-11 text-lg" }: LogoTileProps) {
  const { hue, isSolid, isRound } = lookOfTile(name);
  const style: CSSProperties & { "--tile-hue": number } = { "--tile-hue": hue };
  const look = classNames(
    isSolid ? "logo-tile-solid" : "logo-tile",
    !icon && isRound ? "rounded-full" : "rounded-control",
    className,
  );
  return (
    <span
      aria-hidden="true"
      style={style}
      className={`${look} inline-flex shrink-0 items-center justify-center font-semibold`}
    >
      {icon ? (
        <svg viewBox="0 0 24 24" className="size-1/2 fill-current" focusable="false" aria-hidden="true">
          <path d={icon} />
        </svg>
      ) : (
        initialOf(name)
      )}
    </span>
  );
}

interface TileLook {
  /** 0 to 330 degrees. */
  hue: number;
  /** A strong colour with a light letter, instead of a pale one with a dark letter. */
  isSolid: boolean;
  isRound: boolean;
}

const HUES = 12;

/** 48 looks: two names with the same first letter differ in at least one of colour, strength and shape, almost always. */
export function lookOfTile(name: string): TileLook {
  const hash = hashOf(name);
  const colour = hash % (2 * HUES);
  return {
    hue: (colour % HUES) * (360 / HUES),
    isSolid: colour >= HUES,
    isRound: Math.floor(hash / (2 * HUES)) % 2 === 1,
  };
}

/** With this factor the tools of the demo catalogue have different looks. */
const FACTOR = 9271;

function hashOf(name: string): number {
  let hash = 0;
  for (const letter of name.toLowerCase()) hash = (hash * FACTOR + (letter.codePointAt(0) ?? 0)) % 100_003;
  return hash;
}

/** The first character of a name in upper case. An emoji or a letter with its accent is one character. */
export function initialOf(name: string): string {
  const text = name.trim();
  // `Intl` takes 50 ms to load on a slow phone, and most names begin with a letter that is whole by itself.
  const [letter] = /^[\p{L}\p{N}](?!\p{M}|\u200d)/u.exec(text) ?? [];
  return (letter ?? firstGrapheme(text)).toUpperCase();
}

function firstGrapheme(text: string): string {
  const [first] = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text);
  return first?.segment ?? "";
}
