/** The pages beside the six lists. The header links to them. */
export const ADMIN_PAGES = [
  { to: "/admin/settings", label: "Settings" },
  { to: "/admin/audit", label: "Audit log" },
] as const;
