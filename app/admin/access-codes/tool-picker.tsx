import { useState } from "react";
import type { ToolChoice } from "#core/catalog/list-tool-choices.server.ts";
import { formatPaise } from "#core/money.ts";
import { Badge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { TextField } from "../../ui/forms/text-field.tsx";
import { Money } from "../../ui/text.tsx";

/** A longer list of tools can be searched. */
const MAX_WITHOUT_SEARCH = 12;

interface ToolPickerProps {
  /** The name of the list for screen readers. */
  label: string;
  tools: readonly ToolChoice[];
  pickedId: string | null;
  onPick: (tool: ToolChoice) => void;
}

/** The active tools, one of which is picked. */
export function ToolPicker({ label, tools, pickedId, onPick }: ToolPickerProps) {
  const [text, setText] = useState("");
  const active = tools.filter(({ isActive }) => isActive);
  const searched = text.trim().toLowerCase();
  const shown = active.filter(({ name }) => name.toLowerCase().includes(searched));
  if (active.length === 0) return <p className="text-muted text-sm">No active tools available</p>;
  return (
    <div className="flex flex-col gap-2">
      {active.length > MAX_WITHOUT_SEARCH ? (
        <TextField
          label="Search tools"
          labelHidden
          type="search"
          placeholder="Search tools"
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          // Enter would submit the form around it.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      ) : null}
      {shown.length === 0 ? <p className="text-muted text-sm">No tools match your search.</p> : null}
      <ul aria-label={label} className="grid max-h-96 gap-2 overflow-y-auto overscroll-contain p-0.5">
        {shown.map((tool) => (
          <li key={tool.id}>
            <ToolOption tool={tool} picked={tool.id === pickedId} onPick={() => onPick(tool)} />
          </li>
        ))}
      </ul>
    </div>
  );
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
export function ToolFacts({ tool }: { tool: ToolChoice }) {
  return (
    <span className="flex flex-wrap items-start justify-between gap-x-4 text-sm">
      <span className="min-w-[min(100%,8rem)] flex-1">
        <span className="flex flex-wrap items-center gap-x-2 font-semibold">
          {tool.name}
          {tool.badge ? <Badge>{tool.badge}</Badge> : null}
        </span>
        <span className="line-clamp-2 text-muted text-xs">{tool.description}</span>
      </span>
      <span className="ml-auto max-w-full text-right">
        <Money className="block font-semibold">{formatPaise(tool.pricePaise)}</Money>
        <span className="text-muted text-xs tabular-nums">{tool.availableStock} available</span>
      </span>
    </span>
  );
}
