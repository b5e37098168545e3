import netflix from "simple-icons/icons/netflix.svg?raw";
import surfshark from "simple-icons/icons/surfshark.svg?raw";
import udemy from "simple-icons/icons/udemy.svg?raw";

/** Marks by a word of the tool's name. Brands that asked not to be in the icon set get a letter instead. */
const MARKS: ReadonlyArray<readonly [word: string, mark: string]> = [
  ["netflix", pathOf(netflix)],
  ["surfshark", pathOf(surfshark)],
  ["udemy", pathOf(udemy)],
];

/** The SVG path (24 × 24) of the brand a tool is named after; null when there is none. */
export function markFor(toolName: string): string | null {
  const words = toolName.toLowerCase().split(/\W+/);
  return MARKS.find(([word]) => words.includes(word))?.[1] ?? null;
}

function pathOf(svg: string): string {
  return / d="([^"]+)"/.exec(svg)?.[1] ?? "";
}
