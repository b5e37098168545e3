import type { listDevicesOfUser } from "#core/devices/list-devices-of-user.server.ts";
import { DateOnly } from "../../../date-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { VisuallyHidden } from "../../../ui/screen-reader-text.tsx";
import { ConfirmAction } from "../../forms/confirm-action.tsx";
import { useOpened } from "../../forms/use-opened.ts";

type Device = Awaited<ReturnType<typeof listDevicesOfUser>>[number];

/** The browsers in which a user has connected the extension, each with a button that releases it. */
export function DevicesOfUser({ userId, devices }: { userId: string; devices: Device[] }) {
  const release = useOpened<Device>();
  return (
    <>
      {devices.length === 0 ? null : (
        <section aria-labelledby="devices-of-user" className="flex flex-col border-line border-t pt-4">
          <h3 id="devices-of-user" className="text-base">
            Devices
          </h3>
          <ul className="divide-y divide-line">
            {devices.map((device) => (
              <DeviceRow key={device.id} device={device} onRelease={() => release.open(device)} />
            ))}
          </ul>
        </section>
      )}
      <ConfirmAction
        confirm={release}
        intent="release-device"
        values={({ id }) => ({ userId, deviceId: id })}
        question={({ name }) => `Release ${name}?`}
        confirmLabel="Release"
      >
        {() => (
          <p>
            The extension in this browser stops working at once, and the user can connect another browser
            instead. It is not counted as a release by the user.
          </p>
        )}
      </ConfirmAction>
    </>
  );
}

function DeviceRow({ device, onRelease }: { device: Device; onRelease: () => void }) {
  const { name, connectedAt, lastSeenAt, extensionVersion } = device;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-40 flex-1">
        <p className="wrap-anywhere font-medium text-sm">{name}</p>
        <p className="text-muted text-xs">
          Connected <DateOnly date={connectedAt} /> · last used <DateOnly date={lastSeenAt} /> · version{" "}
          {extensionVersion}
        </p>
      </div>
      <Button size="small" onClick={onRelease}>
        Release
        <VisuallyHidden> {name}</VisuallyHidden>
      </Button>
    </li>
  );
}
