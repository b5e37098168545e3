import { useCallback, useEffect, useRef, useState } from "react";
import { useBeforeUnload, useBlocker } from "react-router";
import { listActiveTools } from "#core/catalog/list-active-tools.server.ts";
import { readStoreSettingsToEdit } from "#core/catalog/store-editing/read-store-settings-to-edit.server.ts";
import { saveStoreSettings } from "#core/catalog/store-editing/save-store-settings.server.ts";
import { ConfirmDialog } from "../../ui/dialogs/dialog.tsx";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { OutdatedBanner } from "../forms/admin-form.tsx";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import type { Route } from "./+types/route";
import { type FormState, SettingsForm } from "./settings-form.tsx";
import type { SettingsView } from "./settings-groups.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx): Promise<SettingsView> => {
    const [settings, tools] = await Promise.all([readStoreSettingsToEdit(ctx), listActiveTools(ctx)]);
    // A free tool cannot be given away.
    const paid = tools.filter(({ pricePaise }) => pricePaise > 0);
    return { settings, tools: paid.map(({ slug, name }) => ({ slug, name })) };
  });
}

export const action = adminAction({
  save: { run: saveStoreSettings, done: "Settings saved.", failed: "Failed to save the settings" },
});

export const clientAction = callAdminAction;

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch the settings" />;
}

export default function Settings({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <SettingsScreen {...data} />}</ForAdmin>;
}

/**
 * The settings of the shop. The form keeps the settings it was opened with, so that a change of another admin does not
 * wipe what is typed. Such a change is shown at once in a form where nothing is typed; otherwise it is announced.
 */
function SettingsScreen(latest: SettingsView) {
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
