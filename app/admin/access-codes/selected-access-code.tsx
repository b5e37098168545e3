import { useEffect, useId, useRef, useState } from "react";
import type { ListedAccessCode } from "#core/access-codes/list-access-codes.server.ts";
import type { ToolChoice } from "#core/catalog/list-tools-for-admin.server.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Code } from "./table.tsx";
import { ToolPicker } from "./tool-and-server-fields.tsx";

interface SelectedAccessCodeProps {
  code: ListedAccessCode;
  tools: readonly ToolChoice[];
  onClear: () => void;
}

/** The panel below the list: the tool page that is opened with the selected access code. */
export function SelectedAccessCode({ code, tools, onClear }: SelectedAccessCodeProps) {
  // The code opens its own tool, unless another tool is chosen.
  const [toolId, setToolId] = useState(code.toolId);
  const tool = tools.find(({ id, isActive }) => id === toolId && isActive) ?? null;
  const titleId = useId();
  const panel = useRef<HTMLElement>(null);

  // The list above can be longer than the window.
  useEffect(() => {
    panel.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <section ref={panel} aria-labelledby={titleId} className="scroll-mb-4">
      <Card className="flex flex-col gap-4 p-4 sm:p-5">
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <div className="min-w-0">
            <h2 id={titleId} className="text-lg">
              Selected Access Code
            </h2>
            <p className="mt-1 wrap-anywhere text-muted text-sm">
              <span>{`${code.toolName} · ${code.serverName}`}</span>
              {code.simpleCode === null ? null : (
                <>
                  <span> · </span>
                  <Code>{code.simpleCode}</Code>
                </>
              )}
            </p>
          </div>
          <Button size="small" variant="quiet" onClick={onClear}>
            Clear Selection
          </Button>
        </div>
        <div className="flex flex-col gap-2">
          <h3 className="font-medium text-sm">Choose the tool to open with this code</h3>
          <ToolPicker
            label="Active tools"
            tools={tools}
            pickedId={tool?.id ?? null}
            onPick={({ id }) => setToolId(id)}
          />
        </div>
        {tool === null ? null : <ConnectionForm code={code} tool={tool} onOpened={onClear} />}
      </Card>
    </section>
  );
}

interface ConnectionFormProps {
  code: ListedAccessCode;
  tool: ToolChoice;
  onOpened: () => void;
}

/**
 * A form that opens a new tab, which the server redirects to the tool's page with both codes. So the list needs no whole
 * session code, and no browser blocks the tab as a pop-up.
 */
function ConnectionForm({ code, tool, onOpened }: ConnectionFormProps) {
  const wasSent = useRef(false);
  return (
    <form
      method="post"
      action="/admin/access-codes/connection"
      target="_blank"
      rel="noopener"
      className="flex justify-end"
      onSubmit={(event) => {
        // The second click of a double click would open a second tab.
        if (wasSent.current) return event.preventDefault();
        wasSent.current = true;
        // Later, because the browser does not submit a form that has left the page.
        setTimeout(onOpened);
      }}
    >
      <input type="hidden" name="id" value={code.id} />
      <input type="hidden" name="slug" value={tool.slug} />
      <Button type="submit" variant="strong">
        Create Server Connection
      </Button>
    </form>
  );
}
