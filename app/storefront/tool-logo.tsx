import netflix from "simple-icons/icons/netflix.svg?raw";
import surfshark from "simple-icons/icons/surfshark.svg?raw";
import udemy from "simple-icons/icons/udemy.svg?raw";
import { LogoTile } from "../ui/logo-tile.tsx";
import { useSharedIfLoaded } from "../use-shared.ts";

/** Brand icons by a word of the tool's name. Brands that asked not to be in the icon set get a letter instead. */
const ICONS: ReadonlyArray<readonly [word: string, icon: string]> = [
  ["netflix", readPath(netflix)],
  ["surfshark", readPath(surfshark)],
  ["udemy", readPath(udemy)],
];

/** The name by which logos, purchases and the extension go, of a tool that may have another one in the language of the page. */
export function useEnglishName(shownName: string): string {
  const { englishNames = {} } = useSharedIfLoaded() ?? {};
  const key = shownName.toLowerCase();
  return (Object.hasOwn(englishNames, key) ? englishNames[key] : undefined) ?? shownName;
}

/** The tile of a tool, chosen by its name: the logo that the owner has uploaded, the icon of a brand, or letters. */
export function ToolLogo({ name: shownName, className }: { name: string; className?: string }) {
  const { logos = {}, monograms = {} } = useSharedIfLoaded() ?? {};
  const name = useEnglishName(shownName);
  const key = name.toLowerCase();
  const logo = Object.hasOwn(logos, key) ? logos[key] : undefined;
  return (
    <LogoTile
      name={name}
      letters={Object.hasOwn(monograms, key) ? monograms[key] : undefined}
      icon={findBrandIcon(name)}
      picture={logo === undefined ? undefined : logoPath(logo)}
      {...(className === undefined ? {} : { className })}
    />
  );
}

/** Where the server serves an uploaded logo. */
export const logoPath = (logo: string): string => `/logos/${logo}`;

/** The SVG path (24 × 24) of the brand that a tool is named after; null when there is none. */
export function findBrandIcon(toolName: string): string | null {
  const words = toolName.toLowerCase().split(/\W+/);
  return ICONS.find(([word]) => words.includes(word))?.[1] ?? null;
}

function readPath(svg: string): string {
  return / d="([^"]+)"/.exec(svg)?.[1] ?? "";
}
