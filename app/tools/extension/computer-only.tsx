import { useSyncExternalStore } from "react";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { isForComputers } from "#core/catalog/rules.ts";
import { Banner } from "../../ui/banner.tsx";
import { t } from "../../ui/texts/texts.ts";
import { canHaveExtension } from "./extension-presence.ts";

interface ComputerOnlyProps {
  name: string;
  places: Readonly<CatalogueCard["worksOn"]>;
  /** What to do about it, as a sentence. */
  advice: string;
  /** What the user agent says, so that the warning is there from the start. */
  isHandheld?: boolean;
}

/** Warns on a phone or a tablet about a tool that only a computer can use. Renders nothing elsewhere. */
export function ComputerOnly({ name, places, advice, ...onServer }: ComputerOnlyProps) {
  const isHandheld = useIsHandheld(onServer.isHandheld);
  if (!isHandheld || !isForComputers(places)) return null;
  const needs = places.includes("extension")
    ? t("It needs a computer with our browser extension.")
    : t("It needs a computer.");
  return (
    <Banner tone="warning">
      {`${t("{tool} does not work on phones and tablets.", { tool: name })} ${needs} ${advice}`}
    </Banner>
  );
}

const subscribe = () => () => undefined;

/**
 * Whether the page is on a phone or a tablet.
 *
 * @param onServer what the server knows of it by the user agent; the browser decides
 */
export function useIsHandheld(onServer = false): boolean {
  return useSyncExternalStore(
    subscribe,
    () => !canHaveExtension(),
    () => onServer,
  );
}
