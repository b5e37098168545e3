import type { CSSProperties } from "react";
import { classNames } from "./class-names.ts";

interface LogoTileProps {
  /** Determines the letters, the colour and the motif, so that a name always has the same tile. */
  name: string;
  /** The letters, where those of the name alone are also those of another one. */
  letters?: string | undefined;
  /** SVG path data in a 24 × 24 box, shown instead of the letters. */
  icon?: string | null;
  /** The address of a picture, shown instead of both. */
  picture?: string | undefined;
  /** Class names for another size. */
  className?: string;
}

/**
 * A tile with a picture, an icon or a monogram. Decorative: show the name beside it.
 */
export function LogoTile({
  name,
  letters = monogramOf(name),
  icon,
  picture,
  className = "size-11 text-base",
}: LogoTileProps) {
  if (picture !== undefined)
    return (
      <span aria-hidden="true" className={classNames("logo-picture", className)}>
        <img src={picture} alt="" decoding="async" />
      </span>
    );
  const { hue, isSolid, motif } = lookOfTile(name);
  const style: CSSProperties & { "--tile-hue": number } = { "--tile-hue": hue };
  const look = classNames("logo-tile", isSolid && "tile-solid", MOTIFS[motif], className);
  return (
    <span aria-hidden="true" style={style} className={look}>
      {icon ? (
        <svg viewBox="0 0 24 24" focusable="false" aria-hidden="true">
          <path d={icon} />
        </svg>
      ) : (
        <span>{letters}</span>
      )}
    </span>
  );
}

interface TileLook {
  /** 0 to 330 degrees. */
  hue: number;
  /** A strong colour with light letters, instead of a pale one with dark letters. */
  isSolid: boolean;
  /** An index of `MOTIFS`. */
  motif: number;
}

const HUES = 12;
const MOTIFS = ["tile-motif-0", "tile-motif-1", "tile-motif-2", "tile-motif-3"];

/** 96 looks: two names with the same letters differ in at least one of colour, strength and motif, almost always. */
export function lookOfTile(name: string): TileLook {
  const hash = hashOf(name);
  const colour = hash % (2 * HUES);
  return {
    hue: (colour % HUES) * (360 / HUES),
    isSolid: colour >= HUES,
    motif: Math.floor(hash / (2 * HUES)) % MOTIFS.length,
  };
}

/** With this factor the tools of the demo catalogue have different looks. */
const FACTOR = 9271;

function hashOf(name: string): number {
  let hash = 0;
  for (const letter of name.toLowerCase()) hash = (hash * FACTOR + (letter.codePointAt(0) ?? 0)) % 100_003;
  return hash;
}

/**
 * At most two letters of a name: the first of its first two words, or of a single word its first letter and the next
 * capital, or else the next letter. A name that begins with an emoji has that alone.
 */
export function monogramOf(name: string): string {
  const [first = "", second] = wordsOf(name);
  const initial = initialOf(first);
  if (!WHOLE_LETTER.test(first)) return initial;
  if (second !== undefined && WHOLE_LETTER.test(second)) return initial + initialOf(second);
  const [, next] = /^.[^\p{Lu}]*(\p{Lu})/u.exec(first) ?? /^.(\p{Ll})(?!\p{M})/u.exec(first) ?? [];
  return initial + (next ?? "");
}

const wordsOf = (name: string) => name.trim().split(/[\s\-_.]+/);

/**
 * The letters of the names that would have the same ones as a name before them, by the name in lower case. Such a name has the
 * first letter of a word, the last words first, with one of the letters that follow: "ChatGPT Plus" has "Pl" beside "ChatGPT Pro".
 */
export function distinctMonograms(names: readonly string[]): Record<string, string> {
  const taken = new Set<string>();
  const own = new Set(names.map(monogramOf));
  const changed: Record<string, string> = {};
  for (const name of names) {
    const letters = monogramOf(name);
    const free = taken.has(letters)
      ? wordsOf(name)
          .toReversed()
          .flatMap((word) =>
            [...word.slice(1).matchAll(/\p{Ll}(?!\p{M})/gu)].map(([letter]) => initialOf(word) + letter),
          )
          .find((other) => !own.has(other) && !taken.has(other))
      : undefined;
    if (free !== undefined) changed[name.toLowerCase()] = free;
    taken.add(free ?? letters);
  }
  return changed;
}

/** `Intl` takes 50 ms to load on a slow phone, and most words begin with a letter that is whole by itself. */
const WHOLE_LETTER = /^[\p{L}\p{N}](?!\p{M}|\u200d)/u;

/** The first character of a name in upper case. An emoji or a letter with its accent is one character. */
export function initialOf(name: string): string {
  const text = name.trim();
  const [letter] = WHOLE_LETTER.exec(text) ?? [];
  return (letter ?? firstGrapheme(text)).toUpperCase();
}

function firstGrapheme(text: string): string {
  const [first] = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text);
  return first?.segment ?? "";
}
