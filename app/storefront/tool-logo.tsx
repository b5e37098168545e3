import { LogoTile } from "../ui/logo-tile.tsx";
import { markFor } from "./tool-marks.ts";

/** The tile of a tool, by its name. */
export function ToolLogo({ name, className }: { name: string; className?: string }) {
  return <LogoTile name={name} mark={markFor(name)} {...(className === undefined ? {} : { className })} />;
}
