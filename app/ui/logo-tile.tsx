import type { CSSProperties } from "react";

interface LogoTileProps {
  /** Decides letter and colour, so that a name keeps its tile. */
  name: string;
  /** SVG path data in a 24 × 24 box, instead of the letter. */
  mark?: string | null;
  /** Full class names for another size. */
  className?: string;
}

/** A square with a mark or a first letter. Decorative: the name stands beside it. */
export function LogoTile({ name, mark, className = "size-11 text-lg" }: LogoTileProps) {
  const style: CSSProperties = { "--tile-hue": hueOf(name) };
  return (
    <span
      aria-hidden="true"
      style={style}
      className={`${className} logo-tile inline-flex shrink-0 items-center justify-center rounded-control font-semibold`}
    >
      {mark ? (
        <svg viewBox="0 0 24 24" className="size-1/2 fill-current" focusable="false" aria-hidden="true">
          <path d={mark} />
        </svg>
      ) : (
        name.trim().charAt(0).toUpperCase()
      )}
    </span>
  );
}

/** A hue (0 to 359) that a name always gets. */
function hueOf(name: string): number {
  let hash = 0;
  for (const letter of name.toLowerCase()) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 100_003;
  // The golden angle spreads names that hash close together.
  return Math.round((hash * 137.508) % 360);
}
