import { useEffect, useState, useSyncExternalStore } from "react";
import { useFetcher } from "react-router";
import { INSTALLATION_KEY } from "#contracts/page-messages.ts";
import type { MyDevices } from "#core/devices/manage-devices.server.ts";
import { RELEASE_PERIOD_DAYS } from "#core/devices/rules.ts";
import { DAY, formatDate, formatTime } from "#core/time.ts";
import { DateOnly } from "../../time/date-time.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialogs/dialog.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { withStorage } from "../../ui/optional-interfaces.ts";
import { t, tNodes } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";
import type { action } from "./device-actions.ts";

type Device = MyDevices["devices"][number];

/** The browsers in which the buyer uses the extension. Without one there is nothing to show. */
export function DeviceList({ devices, limit, releasesLeft, now }: MyDevices) {
  const installationId = useInstallationId();
  if (devices.length === 0) return null;
  return (
    <section id="devices" aria-labelledby="devices-title" className="flex scroll-mt-4 flex-col gap-4">
      <div className="flex flex-col gap-1">
        <h2 id="devices-title" className="text-lg">
          {t("Devices")}
        </h2>
        <p className="max-w-prose text-pretty text-muted">
          {`${t(
            limit === 1
              ? "The extension is in {count} of {limit} browser."
              : "The extension is in {count} of {limit} browsers.",
            { count: devices.length, limit },
          )} ${devices.length >= limit ? adviceAt(releasesLeft) : ""}`}
        </p>
      </div>
      <Card className="overflow-hidden">
        <ul className="divide-y divide-line">
          {devices.map((device) => (
            <DeviceRow
              key={device.id}
              device={device}
              now={now}
              isHere={device.installationId === installationId}
              releasesLeft={releasesLeft}
            />
          ))}
        </ul>
      </Card>
    </section>
  );
}

function adviceAt(releasesLeft: number): string {
  return releasesLeft === 0
    ? t("You’ve removed as many as you can in {days} days. Please contact support to use another browser.", {
        days: RELEASE_PERIOD_DAYS,
      })
    : t("Remove one to use another.");
}

interface DeviceRowProps {
  device: Device;
  now: Date;
  isHere: boolean;
  releasesLeft: number;
}

function DeviceRow({ device, now, isHere, releasesLeft }: DeviceRowProps) {
  const { shownName } = device;
  const { timeZone } = useShared();
  const fetcher = useFetcher<typeof action>();
  const [mode, setMode] = useState<"shown" | "renaming" | "releasing">("shown");
  const busy = fetcher.state !== "idle";
  const { data } = fetcher;
  useEffect(() => {
    if (data !== undefined) setMode((current) => (data.ok || current === "releasing" ? "shown" : current));
  }, [data]);

  return (
    <li className="flex flex-col gap-3 px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-40 flex-1">
          <h3 className="wrap-anywhere flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold text-base tracking-normal">
            <span>{shownName}</span>
            {isHere ? <Badge tone="green">{t("This browser")}</Badge> : null}
          </h3>
          {/* A line breaks between the facts, and within one only when it is wider than the line. */}
          <p className="text-muted text-xs [&>span]:inline-block">
            <span>{lastSeenText(device.lastSeenAt, now, timeZone)}</span> ·{" "}
            <span>
              {tNodes("Connected {date} at {time}", {
                date: <DateOnly key="date" date={device.connectedAt} />,
                time: formatTime(device.connectedAt, timeZone),
              })}
            </span>{" "}
            · <span>{t("Version {version}", { version: device.extensionVersion })}</span>
          </p>
        </div>
        {mode === "renaming" ? null : (
          <div className="flex gap-2">
            <Button
              size="small"
              aria-label={t("Rename {device}", { device: shownName })}
              onClick={() => setMode("renaming")}
            >
              {t("Rename")}
            </Button>
            {releasesLeft === 0 ? null : (
              <Button
                size="small"
                aria-label={t("Remove {device}", { device: shownName })}
                onClick={() => setMode("releasing")}
              >
                {t("Remove")}
              </Button>
            )}
          </div>
        )}
      </div>
      {mode === "renaming" ? (
        <fetcher.Form
          method="post"
          action="/dashboard/devices"
          className="flex flex-wrap items-end gap-2"
          onKeyDown={(event) => {
            if (event.key === "Escape") setMode("shown");
          }}
        >
          <input type="hidden" name="intent" value="rename" />
          <input type="hidden" name="deviceId" value={device.id} />
          <div className="min-w-[min(100%,14rem)] flex-1">
            <TextField
              label={t("Name of the device")}
              name="name"
              defaultValue={device.name}
              required
              autoFocus
            />
          </div>
          <div className="flex gap-2">
            <Button type="submit" variant="strong" busy={busy}>
              {t("Save")}
            </Button>
            <Button onClick={() => setMode("shown")}>{t("Cancel")}</Button>
          </div>
        </fetcher.Form>
      ) : null}
      <p role="alert" className="text-red text-sm empty:hidden">
        {data?.ok === false && mode !== "releasing" && !busy ? data.message : null}
      </p>
      <ConfirmDialog
        open={mode === "releasing"}
        title={t("Remove {device}?", { device: shownName })}
        confirmLabel={t("Remove")}
        busy={busy}
        onClose={() => setMode("shown")}
        onConfirm={() =>
          void fetcher.submit(
            { intent: "release", deviceId: device.id },
            { method: "post", action: "/dashboard/devices" },
          )
        }
      >
        <p>
          {t("The extension in this browser stops working at once, and another browser can take its place.")}
        </p>
        <p>
          {t(
            releasesLeft === 1
              ? "You can remove {count} more browser within {days} days."
              : "You can remove {count} more browsers within {days} days.",
            { count: releasesLeft, days: RELEASE_PERIOD_DAYS },
          )}
        </p>
      </ConfirmDialog>
    </li>
  );
}

/** "Last seen today", "yesterday", or the date. A device is marked as seen once an hour, so a time would be wrong. */
function lastSeenText(date: Date, now: Date, timeZone: string): string {
  const day = formatDate(date, timeZone);
  if (day === formatDate(now, timeZone)) return t("Last seen today");
  const isYesterday = day === formatDate(new Date(now.getTime() - DAY), timeZone);
  return isYesterday ? t("Last seen yesterday") : t("Last seen {date}", { date: day });
}

/**
 * The id of the extension's installation in this browser; null on the server, and before the extension has redeemed a code
 * here.
 */
function useInstallationId(): string | null {
  return useSyncExternalStore(subscribe, readInstallationId, () => null);
}

/** Another tab may have redeemed the first code. */
function subscribe(onChange: () => void): () => void {
  window.addEventListener("storage", onChange);
  return () => window.removeEventListener("storage", onChange);
}

function readInstallationId(): string | null {
  return withStorage("local", (storage) => storage.getItem(INSTALLATION_KEY));
}
