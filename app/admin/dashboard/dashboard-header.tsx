import Activity from "lucide-react/icons/activity";
import Mail from "lucide-react/icons/mail";
import ScrollText from "lucide-react/icons/scroll-text";
import Settings from "lucide-react/icons/settings";
import { Form, NavLink, useNavigation } from "react-router";
import { Logo } from "../../storefront/logo.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { buttonClasses } from "../../ui/class-names.ts";

const ICONS = {
  "/admin/settings": Settings,
  "/admin/mail": Mail,
  "/admin/audit": ScrollText,
  "/admin/health": Activity,
};

/** The header of all admin pages, with the links to those beside the six lists. */
export function DashboardHeader({ name }: { name: string }) {
  const busy = useNavigation().formData?.get("intent") === "sign-out";
  return (
    <header className="border-line border-b">
      <div className="mx-auto flex min-h-16 max-w-page flex-wrap items-center justify-between gap-x-1 px-4 py-2 sm:gap-x-3 sm:px-6">
        <Logo name={name} short />
        <div className="ml-auto flex flex-wrap items-center justify-end sm:gap-x-2">
          <nav aria-label="Shop" className="flex items-center sm:gap-x-2">
            {ADMIN_PAGES.map(({ to, label }) => (
              <PageLink key={to} to={to} label={label} />
            ))}
            <LinkButton to="/" variant="quiet" size="small" className="max-sm:px-2">
              Shop
            </LinkButton>
          </nav>
          <Form method="post" action="/admin">
            <input type="hidden" name="intent" value="sign-out" />
            <Button type="submit" size="small" busy={busy} className="max-sm:px-2.5">
              Logout
            </Button>
          </Form>
        </div>
      </div>
    </header>
  );
}

/** On phones an icon only. */
function PageLink({ to, label }: { to: keyof typeof ICONS; label: string }) {
  const Icon = ICONS[to];
  return (
    <NavLink
      to={to}
      title={label}
      prefetch="intent"
      className={({ isActive }) =>
        buttonClasses(
          { variant: "quiet", size: "small" },
          isActive ? "max-sm:min-w-11 bg-ink/8" : "max-sm:min-w-11",
        )
      }
    >
      <Icon className="size-4" aria-hidden="true" />
      <span className="max-sm:sr-only">{label}</span>
    </NavLink>
  );
}

/** The pages beside the six lists. The header links to them. */
const ADMIN_PAGES = [
  { to: "/admin/settings", label: "Settings" },
  { to: "/admin/mail", label: "Emails" },
  { to: "/admin/audit", label: "Audit log" },
  { to: "/admin/health", label: "Health" },
] as const;

/** The page beside the lists at this address, if there is any. */
export function findAdminPage(pathname: string) {
  const path = pathname.replace(/\/+$/, "");
  return ADMIN_PAGES.find(({ to }) => to === path);
}
