/** The pages beside the six lists. The header links to them. */
export const ADMIN_PAGES = [
  { to: "/admin/settings", label: "Settings" },
  { to: "/admin/mail", label: "Emails" },
  { to: "/admin/audit", label: "Audit log" },
] as const;

/** The page beside the lists at this address, if it is one. */
export function findAdminPage(pathname: string) {
  const path = pathname.replace(/\/+$/, "");
  return ADMIN_PAGES.find(({ to }) => to === path);
}
