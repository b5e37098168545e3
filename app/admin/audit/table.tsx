import type { ListedAuditEvent } from "#core/audit/list-audit-events.server.ts";
import { labelOfPlace } from "#core/catalog/rules.ts";
import { formatPaise } from "#core/money.ts";
import { formatDateTime } from "#core/time.ts";
import { DateTime } from "../../time/date-time.tsx";
import { Button } from "../../ui/button.tsx";
import { nameOfField } from "../field-names.ts";
import { type ListColumn, sortable } from "../lists/list-table.tsx";
import type { ListAddress } from "../lists/use-list-address.ts";
import { describeActor, describeEvent } from "./describe-event.ts";

export function columnsOf(
  address: ListAddress,
  timeZone: string,
  onShowRows: (bulkActionId: string) => void,
): ListColumn<ListedAuditEvent>[] {
  return [
    {
      id: "createdAt",
      ...sortable(address, { sort: "createdAt", label: "When", isDefault: true }),
      phone: "first-end",
      className: "align-top whitespace-nowrap tabular-nums",
      cell: ({ createdAt }) => <DateTime date={createdAt} />,
    },
    {
      id: "actor",
      header: "Who",
      phone: "first",
      className: "align-top wrap-anywhere md:w-56",
      cell: (event) => <ActorCell event={event} />,
    },
    {
      id: "event",
      header: "What",
      phone: "more",
      className: "align-top",
      cell: (event) => <EventCell event={event} timeZone={timeZone} onShowRows={onShowRows} />,
    },
  ];
}

/** Who acted, and the network address that the event stores. */
function ActorCell({ event }: { event: ListedAuditEvent }) {
  const { ipAddress } = event.details;
  return (
    <>
      <span>{describeActor(event)}</span>
      {typeof ipAddress === "string" ? (
        <span className="block text-muted text-xs">{`from ${ipAddress}`}</span>
      ) : null}
    </>
  );
}

interface EventCellProps {
  event: ListedAuditEvent;
  timeZone: string;
  onShowRows: (bulkActionId: string) => void;
}

function EventCell({ event, timeZone, onShowRows }: EventCellProps) {
  const fields = fieldsOf(event.details, timeZone);
  const sentence = <span className="wrap-anywhere">{describeEvent(event)}</span>;
  if (fields.length === 0 && event.subjectId === null) return <>{sentence}</>;
  return (
    <details className="w-full min-w-0">
      <summary className="min-h-6 rounded-sm max-[719px]:-my-1.5 max-[719px]:min-h-11 max-[719px]:py-2.5">
        {sentence}
      </summary>
      {fields.length > 0 ? <Fields fields={fields} /> : null}
      <BulkActionLink event={event} onShowRows={onShowRows} />
      <p className="mt-1 text-muted text-xs wrap-anywhere">
        {`${event.action}${event.subjectId === null ? "" : ` · ${event.subjectType} ${event.subjectId}`}`}
      </p>
    </details>
  );
}

/** Leads to the rows of a bulk action, from its own event and from those of its rows. */
function BulkActionLink({ event, onShowRows }: Pick<EventCellProps, "event" | "onShowRows">) {
  const id = event.subjectType === "bulk-action" ? event.subjectId : event.details.bulkActionId;
  if (typeof id !== "string") return null;
  return (
    <Button size="small" className="mt-1" onClick={() => onShowRows(id)}>
      Show the bulk action
    </Button>
  );
}

function Fields({ fields }: { fields: readonly EventField[] }) {
  return (
    <ul className="mt-1 flex flex-col gap-1 border-line border-l-2 pl-3 text-xs">
      {fields.map(({ name, before, after }) => (
        <li key={name} className="wrap-anywhere whitespace-pre-line">
          <span className="font-medium">{`${name}: `}</span>
          {before === undefined ? null : (
            <>
              <span className="text-muted">{shorten(before)}</span> <span className="sr-only">became</span>
              <span aria-hidden="true">→</span>{" "}
            </>
          )}
          <span>{shorten(after)}</span>
        </li>
      ))}
    </ul>
  );
}

const MAX_CHARACTERS = 600;

/** The terms of a shop can be long. */
function shorten(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** A value of an event, named and as text. `before` is undefined for a value that is not a change. */
interface EventField {
  name: string;
  before: string | undefined;
  after: string;
}

const NOTHING = "—";

/** What changed from which value to which, and the other facts of an event. */
export function fieldsOf(details: Readonly<Record<string, unknown>>, timeZone: string): EventField[] {
  // The button below them names it.
  const { before, after, bulkActionId: _, ...facts } = details;
  const format = (name: string, value: unknown) => formatValue(name, value, timeZone);
  const [old, now] = [recordOf(before), recordOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changes = names.map((name) => ({
    name: nameOfField(name),
    before: format(name, old.get(name)),
    after: format(name, now.get(name)),
  }));
  const rest = Object.entries(facts).map(([name, value]) => ({
    name: nameOfField(name),
    before: undefined,
    after: format(name, value),
  }));
  return [...changes.filter(({ before, after }) => before !== after), ...rest];
}

function recordOf(value: unknown): Map<string, unknown> {
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
}

const ISO_MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function formatValue(name: string, value: unknown, timeZone: string): string {
  if (value === null || value === undefined || value === "") return NOTHING;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "number") return name.endsWith("Paise") ? formatPaise(value) : String(value);
  if (name === "worksOn" && typeof value === "string") return labelOfPlace(value);
  if (typeof value === "string") {
    return ISO_MOMENT.test(value) ? formatDateTime(new Date(value), timeZone) : value;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return NOTHING;
    const parts = value.map((part) => formatValue(name, part, timeZone));
    return parts.join(value.some((part) => typeof part === "object") ? "; " : ", ");
  }
  const parts = [...recordOf(value)].map(
    ([key, part]) => `${nameOfField(key)}: ${formatValue(key, part, timeZone)}`,
  );
  return parts.length === 0 ? NOTHING : parts.join(", ");
}
