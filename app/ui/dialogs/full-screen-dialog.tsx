import { Dialog as Base } from "@base-ui/react/dialog";
import X from "lucide-react/icons/x";
import type { ReactNode } from "react";

interface FullScreenDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The accessible name; not visible. */
  title: string;
  children: ReactNode;
}

/** A dialog that fills the screen, for example with a video. */
export function FullScreenDialog({ open, onOpenChange, title, children }: FullScreenDialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Popup className="dialog-backdrop fixed inset-0 z-50 flex flex-col bg-[#0f1115] text-[#f3f1ec] outline-none">
          <div className="flex justify-end p-2">
            <Base.Title className="sr-only">{title}</Base.Title>
            <Base.Close
              aria-label="Close"
              title="Close"
              className="inline-flex size-11 items-center justify-center rounded-control hover:bg-[#f3f1ec]/10"
            >
              <X className="size-6" aria-hidden="true" />
            </Base.Close>
          </div>
          <div className="min-h-0 flex-1 px-4 pb-4">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
