import { useEffect, useRef } from "react";
import type { ToolChoice } from "#core/catalog/list-tool-choices.server.ts";
import { Button } from "../../ui/button.tsx";
import { ToolFacts, ToolPicker } from "./tool-picker.tsx";

interface ChosenToolFieldProps {
  tools: readonly ToolChoice[];
  chosen: ToolChoice | null;
  /** null: another one is to be picked. */
  onChange: (tool: ToolChoice | null) => void;
  /** Of the form's field `toolId`. */
  errors: readonly string[] | undefined;
}

/** The tool of a new access code: picked from a list, which is then replaced by the tool and a button to change it. */
export function ChosenToolField({ tools, chosen, onChange, errors = [] }: ChosenToolFieldProps) {
  const field = useRef<HTMLFieldSetElement>(null);
  const hadTool = useRef(chosen !== null);
  const hasTool = chosen !== null;
  // What was pressed is gone, and the focus with it.
  useEffect(() => {
    if (hasTool !== hadTool.current) field.current?.querySelector<HTMLElement>("button")?.focus();
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
