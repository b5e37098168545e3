import type { CSSProperties } from "react";

interface LogoTileProps {
  /** Determines the letter, the colour and the shape, so that a name always has the same tile. */
  name: string;
  /** SVG path data in a 24 × 24 box, shown instead of the letter. */
  icon?: string | null;
  /** Class names for another size. */
  className?: string;
}

/** A square with an icon or a first letter. Decorative: show the name beside it. */
export function LogoTile({ name, icon, className = "size-11 text-lg" }: LogoTileProps) {
  const hash = hashOf(name);
  const style: CSSProperties & { "--tile-hue": number } = { "--tile-hue": hueOf(hash) };
  // Two names with the same first letter are easier to tell apart by shape and colour than by colour alone.
  const shape = !icon && hash % 2 === 1 ? "rounded-full" : "rounded-control";
  return (
    <span
      aria-hidden="true"
      style={style}
      className={`${className} ${shape} logo-tile inline-flex shrink-0 items-center justify-center font-semibold`}
    >
      {icon ? (
        <svg viewBox="0 0 24 24" className="size-1/2 fill-current" focusable="false" aria-hidden="true">
          <path d={icon} />
        </svg>
      ) : (
        name.trim().charAt(0).toUpperCase()
      )}
    </span>
  );
}

function hashOf(name: string): number {
  let hash = 0;
  for (const letter of name.toLowerCase()) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 100_003;
  return hash;
}

/** 0 to 359. The golden angle spreads hashes that are close together. */
function hueOf(hash: number): number {
  return Math.round((hash * 137.508) % 360);
}
