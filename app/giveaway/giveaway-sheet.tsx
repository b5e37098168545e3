import X from "lucide-react/icons/x";
import { useCallback, useEffect, useRef, useState } from "react";
import { isForComputers } from "#core/catalog/rules.ts";
import { formatDateTime } from "#core/time.ts";
import { useQuietTime } from "../checkout/quiet-time.ts";
import { placesText } from "../storefront/offer/works-on.tsx";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { daysText, timeLeftText } from "../time/time-texts.ts";
import { canHaveExtension } from "../tools/extension/extension-presence.ts";
import { pagePath } from "../tools/page-path.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { LiveRegion, VisuallyHidden } from "../ui/text.tsx";
import { t, tNodes } from "../ui/texts/texts.ts";
import { TimeLeft } from "../ui/time.tsx";
import { useShared } from "../use-shared.ts";
import { fetchTodaysGiveaway, type ShownGiveaway } from "./giveaway-api.ts";
import { isDialogOpen, whenAtRest } from "./page-at-rest.ts";
import { rememberShown } from "./shown-until.ts";
import { type ClaimState, useClaim } from "./use-claim.ts";

/**
 * The giveaway of today: a flat sheet at the bottom of a phone, a card in the corner of a wide window. It is no dialog:
 * the page stays usable, and the focus stays where it is.
 */
export function GiveawaySheet() {
  const { giveaway, reload } = useTodaysGiveaway();
  const { state, claim } = useClaim(giveaway, reload);
  const { timeZone } = useShared();
  const [isClosed, setClosed] = useState(false);
  const sheet = useRef<HTMLElement>(null);
  const close = useCallback(() => {
    // A focus inside the sheet would be lost with it.
    if (sheet.current?.contains(document.activeElement))
      document.getElementById("content")?.focus({ preventScroll: true });
    setClosed(true);
  }, []);
  const isQuiet = useQuietTime();
  const isShown = useIsShown(giveaway, state, close) && !isClosed && !isQuiet;
  useCloseWithEscape(isShown, close);
  const words = giveaway === null ? null : wordsFor(giveaway, state, timeZone);
  const remark = placesText(giveaway?.worksOn ?? []);
  return (
    <>
      {/* Rendered before it has a text: screen readers announce changes only. */}
      <LiveRegion
        message={
          isShown && words
            ? t("Daily giveaway: {title}. {text}", { title: words.title, text: words.text ?? "" })
            : ""
        }
      />
      {isShown && giveaway && words ? (
        <>
          <aside
            ref={sheet}
            aria-label={t("Daily giveaway")}
            className="giveaway-sheet appear fixed inset-x-0 bottom-0 z-20 rounded-t-ticket border-line border-t bg-card pb-[env(safe-area-inset-bottom)] shadow-float sm:right-auto sm:bottom-6 sm:left-6 sm:w-[23rem] sm:rounded-ticket sm:border"
          >
            <div className="flex min-h-20 flex-wrap items-center gap-x-3 py-3 pr-1 pl-4 sm:grid sm:grid-cols-[auto_minmax(0,1fr)_auto] sm:items-start sm:p-4 sm:pr-2">
              <ToolLogo name={giveaway.toolName} className="size-10" />
              <div className="min-w-0 flex-1 basis-28">
                <p className="text-muted text-xs max-sm:sr-only">{t("Daily giveaway")}</p>
                <h2 className="text-sm leading-snug sm:text-base">{words.title}</h2>
                <p className="text-muted text-xs">
                  {words.text ?? (
                    <>
                      {tNodes("Ends in {time}", {
                        time: (
                          <TimeLeft
                            key="time"
                            until={giveaway.endsAt}
                            now={giveaway.now}
                            format={timeLeftText}
                          />
                        ),
                      })}
                      {remark === null ? null : <span>{` · ${remark}`}</span>}
                    </>
                  )}
                </p>
              </div>
              {/* With enlarged text the controls move below the words. */}
              <div className="ml-auto flex items-center gap-2 sm:contents">
                <div className="flex items-center gap-2 sm:col-start-2 sm:row-start-2 sm:mt-3">
                  <SheetAction giveaway={giveaway} state={state} onClaim={claim} />
                </div>
                <IconButton
                  label={t("Close the giveaway")}
                  onClick={close}
                  className="sm:-mt-2 sm:col-start-3 sm:row-start-1"
                >
                  <X className="size-5" aria-hidden="true" />
                </IconButton>
              </div>
            </div>
          </aside>
          {/* The end of the page can be scrolled above the sheet. */}
          <div aria-hidden="true" className="h-20 sm:hidden" />
        </>
      ) : null}
    </>
  );
}

/**
 * Shown once there is something to claim that works on this device and nobody uses the page, until it is closed or the round is
 * over.
 */
function useIsShown(giveaway: ShownGiveaway | null, state: ClaimState, close: () => void): boolean {
  const [isShown, setShown] = useState(false);
  const leftMs = giveaway === null ? null : giveaway.endsAt.getTime() - giveaway.now.getTime();
  const isClaimed = state.kind !== "idle";
  const isOpen = giveaway?.state === "open" && (canHaveExtension() || !isForComputers(giveaway.worksOn));
  const isNothingHere = giveaway?.state === "taken" || (giveaway?.state === "open" && !isOpen);
  useEffect(() => {
    if (leftMs === null) return undefined;
    const show = () => {
      setShown(true);
      rememberShown(leftMs);
    };
    if (isOpen && !isClaimed) return whenAtRest(show);
    if (isClaimed) show();
    else if (isNothingHere) rememberShown(leftMs);
    return undefined;
  }, [leftMs, isClaimed, isOpen, isNothingHere]);
  useEffect(() => {
    if (leftMs === null) return;
    const timer = setTimeout(close, leftMs);
    return () => clearTimeout(timer);
  }, [leftMs, close]);
  return isShown;
}

function useCloseWithEscape(isShown: boolean, close: () => void): void {
  useEffect(() => {
    if (!isShown) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented && !isDialogOpen()) close();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [isShown, close]);
}

interface SheetActionProps {
  giveaway: ShownGiveaway;
  state: ClaimState;
  onClaim: () => void;
}

function SheetAction({ giveaway, state, onClaim }: SheetActionProps) {
  const { toolName, toolSlug } = giveaway;
  if (state.kind === "claimed" || giveaway.state === "won")
    return (
      <LinkButton to={pagePath(toolSlug)} variant="soft">
        <span>{t("Open")}</span>
        <VisuallyHidden>{` ${toolName}`}</VisuallyHidden>
      </LinkButton>
    );
  if (giveaway.state !== "open")
    return (
      <LinkButton to="/giveaway" size="small">
        {t("Winners")}
      </LinkButton>
    );
  return (
    <>
      <Button
        variant="soft"
        busy={state.kind === "sending"}
        aria-label={t("Claim the free pass for {tool}", { tool: toolName })}
        onClick={onClaim}
      >
        {t("Claim")}
      </Button>
      <LinkButton to="/giveaway" variant="quiet" className="max-sm:hidden">
        {t("How it works")}
      </LinkButton>
    </>
  );
}

/** @returns `text` is null while the time left is shown */
function wordsFor(
  { toolName, validityDays, state, claim }: ShownGiveaway,
  own: ClaimState,
  timeZone: string,
): { title: string; text: string | null } {
  if (own.kind === "claimed") {
    const date = formatDateTime(own.pass.expiresAt, timeZone);
    return { title: t("It’s yours"), text: t("Until {date}", { date }) };
  }
  if (state === "won")
    return { title: t("It’s yours"), text: t("Your {tool} pass is ready.", { tool: toolName }) };
  if (state === "owned")
    return {
      title: t("You already have {tool}", { tool: toolName }),
      text: t("Today’s pass is for someone else."),
    };
  const by = claim === null ? null : t("Claimed by {name}", { name: claim.by });
  if (state === "taken") return { title: t("Today’s pass is taken"), text: by };
  return {
    title: t("{tool}, free for {time}", { tool: toolName, time: daysText(validityDays) }),
    text: own.kind === "refused" ? own.message : null,
  };
}

/**
 * The giveaway of today; null before it is fetched, and when there is none. It is fetched again when somebody signs in or out.
 */
function useTodaysGiveaway(): { giveaway: ShownGiveaway | null; reload: () => void } {
  const email = useShared().user?.email ?? null;
  const [giveaway, setGiveaway] = useState<ShownGiveaway | null>(null);
  const reload = useCallback(() => {
    void fetchTodaysGiveaway().then((result) => {
      // When it cannot be fetched, what is shown stays.
      if (result.ok) setGiveaway(result.value.giveaway);
    });
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another user has another part in the giveaway
  useEffect(reload, [email, reload]);
  return { giveaway, reload };
}
