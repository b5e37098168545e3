import { Logo } from "../storefront/logo.tsx";
import { Card } from "../ui/card.tsx";
import type { Elements } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";

/** A page that holds one card, such as a form. */
export function SmallPage({ title, children }: { title: string; children: Elements }) {
  const { store } = useShared();
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-[26.5rem] flex-col px-4 py-6">
      <header>
        <Logo name={store.name} />
      </header>
      <main id="content" tabIndex={-1} className="py-8 outline-none sm:pt-[8vh]">
        <Card className="flex flex-col gap-4 p-5 sm:p-6">
          <h1 className="text-lg">{title}</h1>
          {children}
        </Card>
      </main>
    </div>
  );
}
