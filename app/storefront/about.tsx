import type { Claim } from "#core/catalog/store-settings.server.ts";

/** How the shop works, with the claims that its owner has set. */
export function About({ name, claims }: { name: string; claims: readonly Claim[] }) {
  return (
    <section
      aria-labelledby="about-title"
      className="grid gap-8 border-line border-t pt-10 lg:grid-cols-2 lg:gap-16"
    >
      <div>
        <h2 id="about-title" className="text-lg">
          About {name}
        </h2>
        <p className="mt-3 max-w-prose text-base text-muted">
          A pass opens one tool for a fixed number of days. You pay once, the pass is on your dashboard right
          away, and it ends on its own. If a payment goes through and we cannot give you the pass, we refund
          it to the account or card you paid with.
        </p>
      </div>
      {claims.length > 0 ? (
        <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,8rem),1fr))] content-start gap-x-6 gap-y-5 sm:grid-cols-3">
          {claims.map(({ value, label }) => (
            <div key={label} className="flex flex-col-reverse border-marigold border-l-2 pl-4">
              <dt className="text-muted">{label}</dt>
              <dd className="font-semibold text-lg tabular-nums tracking-tight">{value}</dd>
            </div>
          ))}
        </dl>
      ) : null}
    </section>
  );
}
