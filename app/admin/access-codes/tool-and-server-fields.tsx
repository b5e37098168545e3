import { useEffect, useRef, useState } from "react";
import type { ToolChoice } from "#core/catalog/list-tools-for-admin.server.ts";
import { formatPaise } from "#core/money.ts";
import { searchKey, searchProblem } from "#core/typed-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { SelectField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { Money } from "../../ui/text.tsx";
import { fieldProps } from "../forms/admin-form.tsx";
import { SEARCH_PROBLEMS } from "../lists/list-section.tsx";

interface ToolPickerProps {
  /** The name of the list for screen readers. */
  label: string;
  tools: readonly ToolChoice[];
  pickedId: string | null;
  onPick: (tool: ToolChoice) => void;
}

/** The active tools, one of which is picked: found by typing, with Enter when one is left, or by the arrow keys. */
export function ToolPicker({ label, tools, pickedId, onPick }: ToolPickerProps) {
  const [text, setText] = useState("");
  const active = tools.filter(({ isActive }) => isActive);
  const problem = searchProblem(text);
  const searched = searchKey(text);
  const shown = active.filter(({ name }) => problem === null && searchKey(name).includes(searched));
  if (active.length === 0) return <p className="text-muted text-sm">No active tools available</p>;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it moves the focus between its controls
    <div className="flex flex-col gap-2" onKeyDown={moveFocus}>
      <TextField
        label="Search tools"
        labelHidden
        type="search"
        placeholder="Type to find a tool"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          // It would submit the form around it.
          event.preventDefault();
          if (shown[0] !== undefined && shown.length === 1) onPick(shown[0]);
        }}
      />
      {shown.length === 0 ? (
        <p className="text-muted text-sm">
          {problem === null ? "No tools match your search." : SEARCH_PROBLEMS[problem]}
        </p>
      ) : null}
      <ul
        aria-label={label}
        className="grid max-h-96 grid-cols-[minmax(0,1fr)] gap-2 overflow-y-auto overscroll-contain p-0.5"
      >
        {shown.map((tool) => (
          <li key={tool.id}>
            <ToolOption tool={tool} picked={tool.id === pickedId} onPick={() => onPick(tool)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The arrow keys lead from the search through the tools that are shown. */
function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, li button")];
  const next = stops[stops.findIndex((stop) => stop.matches(":focus")) + (step ?? 0)];
  if (step === undefined || next === undefined) return;
  event.preventDefault();
  next.focus();
}

interface ToolOptionProps {
  tool: ToolChoice;
  picked: boolean;
  onPick: () => void;
}

function ToolOption({ tool, picked, onPick }: ToolOptionProps) {
  return (
    <button
      type="button"
      aria-pressed={picked}
      onClick={onPick}
      className={classNames(
        "w-full rounded-control border px-3 py-2 text-left transition-colors duration-150",
        picked ? "border-marigold bg-marigold/15" : "border-line bg-card hover:border-field",
      )}
    >
      <ToolFacts tool={tool} />
    </button>
  );
}

/** Name, badge, description, price and stock of a tool. */
function ToolFacts({ tool }: { tool: ToolChoice }) {
  return (
    <span className="flex flex-wrap items-start justify-between gap-x-4 text-sm">
      <span className="min-w-[min(100%,8rem)] flex-1">
        <span className="flex flex-wrap items-center gap-x-2 font-semibold">
          <span>{tool.name}</span>
          {tool.badge ? <Badge>{tool.badge}</Badge> : null}
        </span>
        <span className="line-clamp-2 text-muted text-xs">{tool.description}</span>
      </span>
      <span className="ml-auto max-w-full text-right">
        <Money className="block font-semibold">{formatPaise(tool.pricePaise)}</Money>
        <span className="text-muted text-xs tabular-nums">{`${tool.availableStock} available`}</span>
      </span>
    </span>
  );
}

interface ChosenToolFieldProps {
  tools: readonly ToolChoice[];
  chosen: ToolChoice | null;
  /** null: another tool is to be picked. */
  onChange: (tool: ToolChoice | null) => void;
  /** The errors of the form's field `toolId`. */
  errors: readonly string[] | undefined;
}

/** The tool of a new access code: picked from a list, which is then replaced by the tool and a button to change it. */
export function ChosenToolField({ tools, chosen, onChange, errors = [] }: ChosenToolFieldProps) {
  const field = useRef<HTMLFieldSetElement>(null);
  const hadTool = useRef(chosen !== null);
  const hasTool = chosen !== null;
  // What was pressed is gone, and the focus with it.
  useEffect(() => {
    if (hasTool !== hadTool.current)
      field.current?.querySelector<HTMLElement>("[type=search], button")?.focus();
    hadTool.current = hasTool;
  }, [hasTool]);
  return (
    <fieldset ref={field} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-sm">Tool</legend>
      <input type="hidden" name="toolId" value={chosen?.id ?? ""} />
      {chosen === null ? (
        <ToolPicker label="Active tools" tools={tools} pickedId={null} onPick={onChange} />
      ) : (
        <div className="flex items-center gap-3 rounded-control border border-marigold bg-marigold/15 py-2 pr-2 pl-3">
          <div className="min-w-0 flex-1">
            <ToolFacts tool={chosen} />
          </div>
          <Button size="small" onClick={() => onChange(null)}>
            Change
          </Button>
        </div>
      )}
      <div role="alert" className="text-red text-xs empty:hidden">
        {chosen === null ? errors.map((error) => <p key={error}>{error}</p>) : null}
      </div>
    </fieldset>
  );
}

interface ServerNameFieldProps {
  field: Parameters<typeof fieldProps>[0];
  /** null: none is chosen yet. */
  tool: ToolChoice | null;
  /** The server that the code has now. */
  current?: { toolId: string; serverName: string };
}

/** The name of the server: one of the tool's, because a tool page finds its codes by this name. */
export function ServerNameField({ field, tool, current }: ServerNameFieldProps) {
  const { defaultValue, ...props } = fieldProps(field);
  const normalise = (name: string) => name.trim().toLowerCase();
  // A tool that has only a shared sign-in gets its first server with the code.
  const names = tool?.serverNames.length === 0 ? ["Server 1"] : (tool?.serverNames ?? []);
  const stored = current && (tool === null || current.toolId === tool.id) ? current.serverName : null;
  const own = names.find((name) => stored !== null && normalise(name) === normalise(stored));
  const isGone = stored !== null && own === undefined;
  const first = tool === null ? "Select a tool first" : "Select a server";
  return (
    <SelectField
      // Another tool has other servers.
      key={tool?.id}
      label="Server Name"
      {...props}
      defaultValue={own ?? stored ?? (names.length === 1 ? names[0] : defaultValue)}
      options={[
        { value: "", label: first },
        ...names.map((name) => ({ value: name, label: name })),
        ...(isGone ? [{ value: stored, label: `${stored} (not a server of this tool)` }] : []),
      ]}
      hint={isGone ? "Buyers don’t see this code: this tool has no server with that name." : undefined}
      required
    />
  );
}
