import { useCallback, useEffect, useRef, useState } from "react";
import { useBeforeUnload, useBlocker } from "react-router";
import { ConfirmDialog } from "../../ui/dialogs/dialog.tsx";
import { OutdatedBanner } from "../forms/outdated-banner.tsx";
import type { SettingsView } from "./read-settings-view.server.ts";
import { type FormState, SettingsForm } from "./settings-form.tsx";

/**
 * The settings of the shop. The form keeps the settings it was opened with, so that a change of another admin does not
 * wipe what is typed. Such a change is shown at once in a form where nothing is typed; otherwise it is announced.
 */
export function SettingsScreen(latest: SettingsView) {
  const [opened, setOpened] = useState({ view: latest, number: 0, takesFocus: false });
  const screen = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<FormState>("unchanged");
  const latestView = useRef(latest);
  useEffect(() => {
    latestView.current = latest;
  });
  const isOutdated = opened.view.settings.shown !== latest.settings.shown;
  const open = useCallback((takesFocus: boolean) => {
    setOpened(({ number }) => ({ view: latestView.current, number: number + 1, takesFocus }));
  }, []);
  const showLatest = () => {
    setState("unchanged");
    open(true);
  };

  useEffect(() => {
    const hasFocus = screen.current?.contains(document.activeElement) === true;
    if (isOutdated && state === "unchanged") open(hasFocus);
  }, [isOutdated, state, open]);

  return (
    <div ref={screen} className="flex flex-col gap-3">
      {isOutdated && state === "changed" ? <OutdatedBanner onShowTheirs={showLatest} /> : null}
      <SettingsForm
        key={`${opened.view.settings.shown} ${opened.number}`}
        {...opened.view}
        isOutdated={isOutdated}
        takesFocus={opened.takesFocus}
        onState={setState}
        onSaved={showLatest}
      />
      <LeaveDialog isChanged={state === "changed"} />
    </div>
  );
}

/** Asks before another page is opened while something typed is not saved; the browser asks before it loads one. */
function LeaveDialog({ isChanged }: { isChanged: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isChanged && currentLocation.pathname !== nextLocation.pathname,
  );
  useBeforeUnload(
    useCallback(
      (event) => {
        if (isChanged) event.preventDefault();
      },
      [isChanged],
    ),
  );
  return (
    <ConfirmDialog
      open={blocker.state === "blocked"}
      title="Leave without saving?"
      confirmLabel="Leave Without Saving"
      closesOnBack={false}
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      <p>What you changed in the settings is not saved yet.</p>
    </ConfirmDialog>
  );
}
