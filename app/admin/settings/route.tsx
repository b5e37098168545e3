import { getFormProps, getInputProps } from "@conform-to/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useBeforeUnload, useBlocker } from "react-router";
import { readBackupHealth, startBackup } from "#core/backups/backups.server.ts";
import { readStoreSettingsToEdit, saveStoreSettings } from "#core/catalog/edit-store-settings.server.ts";
import { DEFAULT_BENEFITS, STORE_LIMITS } from "#core/catalog/limits.ts";
import { listActiveTools } from "#core/catalog/on-sale.server.ts";
import { storeSettingsSchema } from "#core/catalog/store-schemas.ts";
import { OTHER_LANGUAGES } from "#core/catalog/translations.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialogs/dialog.tsx";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { OutdatedBanner, useAdminForm } from "../forms/admin-form.tsx";
import { callAdminAction } from "../forms/admin-result.ts";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import type { Route } from "./+types/route";
import { Backups } from "./backups.tsx";
import { GroupNavigation } from "./group-navigation.tsx";
import {
  AdminSessionsGroup,
  BenefitsGroup,
  ClaimsGroup,
  ExtensionGroup,
  GiveawayGroup,
  GroupCard,
  LinksGroup,
  SellerGroup,
  type SettingsView,
  ShopGroup,
  SupportGroup,
  TextsGroup,
} from "./settings-groups.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx): Promise<SettingsView> => {
    const [settings, tools, backups] = await Promise.all([
      readStoreSettingsToEdit(ctx),
      listActiveTools(ctx),
      readBackupHealth(ctx),
    ]);
    // A free tool cannot be given away.
    const paid = tools.filter(({ pricePaise }) => pricePaise > 0);
    return { settings, tools: paid.map(({ slug, name }) => ({ slug, name })), backups };
  });
}

export const action = adminAction({
  save: { run: saveStoreSettings, done: "Settings saved.", failed: "Failed to save the settings" },
  "back-up": { run: startBackup, done: null, failed: "Failed to start the backup" },
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
    <div ref={screen} className="flex flex-col gap-3 lg:flex-row lg:gap-6">
      <GroupNavigation />
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        {isOutdated && state === "changed" ? <OutdatedBanner onShowTheirs={showLatest} /> : null}
        <SettingsForm
          key={`${opened.view.settings.shown} ${opened.number}`}
          {...opened.view}
          isOutdated={isOutdated}
          takesFocus={opened.takesFocus}
          onState={setState}
          onSaved={showLatest}
        />
        <Backups backups={latest.backups} />
        <MoveIn />
        <LeaveDialog isChanged={state === "changed"} />
      </div>
    </div>
  );
}

/** Names the command that imports an old shop. */
function MoveIn() {
  return (
    <GroupCard
      id="move-in"
      text="Bring your old shop’s customers, purchases, tools, coupons and codes with you. Copy the export to the server, as a folder or a zip file, and run this command there. It shows what it would import, and changes nothing:"
    >
      <code className="wrap-anywhere text-xs">npm run import -- FOLDER_OR_ZIP --dry-run</code>
      <p className="text-muted text-xs">
        Run it again without --dry-run to import your old shop. Your shop can stay open meanwhile. The section
        “Import an old shop” of docs/operations.md describes the files.
      </p>
    </GroupCard>
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

interface SettingsFormProps extends SettingsView {
  /** Whether the shop has other settings than the form was opened with. */
  isOutdated: boolean;
  /** Whether the form takes the place of a form that had the focus: its button then has it. */
  takesFocus: boolean;
  onState: (state: FormState) => void;
  onSaved: () => void;
}

/** changed: it differs from what the form was opened with. */
type FormState = "unchanged" | "changed" | "saving";

/** The form of the store settings. It is mounted once with what it was opened with. */
function SettingsForm(props: SettingsFormProps) {
  const { settings, tools, takesFocus, onState, onSaved } = props;
  const [isSaved, setIsSaved] = useState(false);
  const { form, fields, isOutdated, ...request } = useAdminForm({
    id: "store-settings",
    intent: "save",
    schema: storeSettingsSchema,
    defaultValue: {
      name: settings.name,
      headline: settings.headline ?? "",
      accent: settings.accent,
      benefits: benefitFields(settings.benefits),
      seller: {
        name: settings.seller.name ?? "",
        city: settings.seller.city ?? "",
        since: settings.seller.since?.toString() ?? "",
        gstin: settings.seller.gstin ?? "",
      },
      claims: settings.claims,
      supportPhones: phoneRows(settings.supportPhones),
      dealsChannel: settings.dealsChannel ?? {},
      demoVideoUrl: settings.demoVideoUrl ?? "",
      giveawayToolSlug: settings.giveawayToolSlug ?? "",
      giveawayValidityDays: settings.giveawayValidityDays?.toString() ?? "",
      devices: settings.devices,
      adminSessions: settings.adminSessions,
      texts: settings.texts,
      translations: Object.fromEntries(
        OTHER_LANGUAGES.map((language) => {
          const { headline = "", benefits = [], texts = {} } = settings.translations[language] ?? {};
          return [language, { headline, benefits: benefitFields(benefits), texts }];
        }),
      ),
      shown: settings.shown,
    },
    isOutdated: props.isOutdated,
    onDone: () => setIsSaved(true),
  });
  // The page has the saved settings when the request has ended, which is later than its answer.
  useEffect(() => {
    if (isSaved && !request.busy) onSaved();
  }, [isSaved, request.busy, onSaved]);
  // Until the form with the saved settings takes the place of this one.
  const busy = request.busy || isSaved;
  const state = busy ? "saving" : form.dirty ? "changed" : "unchanged";
  useEffect(() => onState(state), [state, onState]);

  const saveButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus) saveButton.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  const wasBusy = useRef(false);
  useEffect(() => {
    // A disabled field loses the focus.
    const isLost = document.activeElement === document.body;
    if (wasBusy.current && !busy && isLost) saveButton.current?.focus({ preventScroll: true });
    wasBusy.current = busy;
  }, [busy]);

  return (
    <form {...getFormProps(form)} method="post" className="flex flex-col gap-3">
      <input {...getInputProps(fields.shown, { type: "hidden" })} key="shown" />
      {/* What is typed while it saves would be lost. */}
      <fieldset disabled={busy} className="flex flex-col gap-3">
        <ShopGroup fields={fields} settings={settings} />
        <SellerGroup fields={fields} />
        <BenefitsGroup fields={fields} />
        <ClaimsGroup fields={fields} settings={settings} />
        <SupportGroup fields={fields} settings={settings} />
        <LinksGroup fields={fields} settings={settings} />
        <GiveawayGroup fields={fields} settings={settings} tools={tools} />
        <ExtensionGroup fields={fields} />
        <AdminSessionsGroup fields={fields} />
        <TextsGroup fields={fields} />
      </fieldset>
      <div className="sticky bottom-0 z-10 -mx-1 flex flex-wrap items-center justify-end gap-x-4 gap-y-2 border-line border-t bg-paper px-1 py-3">
        <div role="alert" className="mr-auto text-red text-sm empty:hidden">
          {/* The page says it, above the form. */}
          {isOutdated ? null : form.errors?.map((error) => <p key={error}>{error}</p>)}
        </div>
        {state === "changed" ? <p className="text-muted text-sm">Not saved yet</p> : null}
        <Button type="submit" variant="strong" busy={busy} ref={saveButton}>
          Save Settings
        </Button>
      </div>
    </form>
  );
}

/** One for each benefit. */
const benefitFields = (benefits: readonly string[]) => DEFAULT_BENEFITS.map((_, at) => benefits[at] ?? "");

/** As many rows as there may be numbers. */
function phoneRows(phones: SettingsView["settings"]["supportPhones"]) {
  return Array.from(
    { length: STORE_LIMITS.supportPhones },
    (_, at) => phones[at] ?? { label: "", number: "" },
  );
}
