import type { ReactNode } from "react";

/** One part of the account page: what it is about, and beside it, or below it on a phone, its content. */
export function AccountSection(props: { id: string; title: string; about: ReactNode; children: ReactNode }) {
  const { id, title, about, children } = props;
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="grid scroll-mt-4 gap-x-12 gap-y-4 border-line border-t py-8 lg:grid-cols-[18rem_minmax(0,1fr)]"
    >
      <div className="flex flex-col gap-1">
        <h2 id={`${id}-title`} className="text-lg">
          {title}
        </h2>
        <div className="max-w-prose text-pretty text-muted">{about}</div>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
