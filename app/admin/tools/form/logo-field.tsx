import { useEffect, useId, useRef, useState } from "react";
import { LOGO_LIMITS, LOGO_TOO_LARGE, LOGO_UNKNOWN } from "#core/catalog/limits.ts";
import { findBrandIcon, logoPath } from "../../../storefront/tool-logo.tsx";
import { Button } from "../../../ui/button.tsx";
import { LogoTile } from "../../../ui/logo-tile.tsx";
import { FileButton } from "../../forms/file-button.tsx";

/** What the form will do with the logo. */
type Choice =
  | { kind: "kept" }
  | { kind: "removed" }
  /** `picture` is the file as a data address. */
  | { kind: "chosen"; picture: string; base64url: string };

const TYPES = ["image/png", "image/webp"];
const ACCEPTED = [...TYPES, ".png", ".webp"].join();

interface LogoFieldProps {
  /** As it is typed: without a logo the tile shows its icon or its letters. */
  toolName: string;
  /** The name of the logo that the tool has; null: none. */
  initial: string | null;
  errors: readonly string[] | undefined;
}

/** The logo of a tool. A chosen file is shown at once, and sent with the form; a refused one leaves the logo as it is. */
export function LogoField({ toolName, initial, errors = [] }: LogoFieldProps) {
  const [lastChoice, setChoice] = useState<Choice>({ kind: "kept" });
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const group = useRef<HTMLFieldSetElement>(null);
  const lastChosen = useRef<File | null>(null);
  const isRefused = errors.length > 0;
  // A refused file is neither shown nor sent again.
  const choice: Choice = isRefused && lastChoice.kind === "chosen" ? { kind: "kept" } : lastChoice;
  const picture = pictureOf(choice, initial);
  const change = (next: Choice) => {
    setChoice(next);
    setProblem(null);
  };
  const refuse = (reason: string) => {
    setChoice((last) => (last.kind === "chosen" ? { kind: "kept" } : last));
    setProblem(reason);
  };
  // What the server said of the last file no longer applies.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the choice changes
  useEffect(() => {
    field.current?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [lastChoice]);
  // The submit button is far below, so the error would be out of view.
  useEffect(() => {
    if (isRefused) focusFile(group.current);
  }, [isRefused]);
  const choose = async (file: File) => {
    lastChosen.current = file;
    // The server decides by the content. A browser does not know the type of every file.
    if (file.type !== "" && !TYPES.includes(file.type)) return refuse(LOGO_UNKNOWN);
    if (file.size > LOGO_LIMITS.bytes) return refuse(LOGO_TOO_LARGE);
    const read = await readLogoFile(file);
    const isPicture = read !== null && (await canShow(read.picture));
    if (lastChosen.current !== file) return;
    if (read === null) refuse("The file could not be read.");
    else if (isPicture) change({ kind: "chosen", ...read });
    else refuse(LOGO_UNKNOWN);
  };
  const shown = problem === null ? errors : [problem];
  return (
    <fieldset ref={group} aria-describedby={`${id}-hint ${id}-errors`} className="flex flex-col gap-1.5">
      <legend className="float-left font-medium text-sm">Logo</legend>
      <div className="clear-both flex items-center gap-3">
        <LogoTile
          name={toolName || "Tool"}
          icon={findBrandIcon(toolName)}
          picture={picture}
          className="size-14 text-lg"
        />
        <div className="flex min-w-0 flex-wrap gap-2">
          <FileButton
            label={picture === undefined ? "Upload a logo" : "Replace"}
            accept={ACCEPTED}
            strong={false}
            disabled={false}
            onChoose={(file) => void choose(file)}
          />
          {picture === undefined ? null : (
            <Button
              variant="quiet"
              onClick={() => {
                change(initial === null ? { kind: "kept" } : { kind: "removed" });
                // The pressed button disappears.
                focusFile(group.current);
              }}
            >
              Remove
            </Button>
          )}
          {choice.kind === "removed" ? (
            <Button variant="quiet" onClick={() => change({ kind: "kept" })}>
              Undo
            </Button>
          ) : null}
        </div>
      </div>
      <p
        id={`${id}-hint`}
        className="text-muted text-xs"
      >{`PNG or WebP, at most ${LOGO_LIMITS.bytes / 1024} KB. A square one looks best.`}</p>
      <div id={`${id}-errors`} role="alert" className="text-red text-xs empty:hidden">
        {shown.map((error) => (
          <p key={error}>{error}</p>
        ))}
      </div>
      <input
        ref={field}
        type="hidden"
        name="logoFile"
        value={choice.kind === "chosen" ? choice.base64url : ""}
      />
      <input type="hidden" name="removeLogo" value={String(choice.kind === "removed")} />
    </fieldset>
  );
}

const focusFile = (group: HTMLElement | null) =>
  group?.querySelector<HTMLElement>("input[type=file]")?.focus();

function pictureOf(choice: Choice, initial: string | null): string | undefined {
  if (choice.kind === "chosen") return choice.picture;
  return choice.kind === "removed" || initial === null ? undefined : logoPath(initial);
}

/** Whether the browser can show the picture of this address. */
function canShow(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(true);
    image.onerror = () => resolve(false);
    image.src = address;
  });
}

/** A chosen file as a data address, and as the form sends it; null when the browser cannot read it. */
async function readLogoFile(file: Blob): Promise<{ picture: string; base64url: string } | null> {
  const picture = await new Promise<string | null>((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => resolve(null);
    reader.readAsDataURL(file);
  });
  if (picture === null) return null;
  const base64 = picture.slice(picture.indexOf(",") + 1);
  // The other characters of base64 would be three times as long in a form.
  const base64url = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return { picture, base64url };
}
