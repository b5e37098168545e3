import type { ReactNode } from "react";

/** Says what an empty list will hold, and offers the next step. */
export function EmptyState({
  title,
  children,
  action,
  icon,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  icon?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-3 rounded-ticket border border-line border-dashed px-6 py-12 text-center">
      {icon ? <div className="text-muted">{icon}</div> : null}
      <h2 className="text-lg">{title}</h2>
      {children ? <div className="max-w-prose text-muted">{children}</div> : null}
      {action ? <div className="mt-2">{action}</div> : null}
    </div>
  );
}
