import { index, type RouteConfig, route } from "@react-router/dev/routes";

export default [
  index("storefront/home.tsx"),
  route("dashboard", "account/dashboard.tsx"),
  route("*", "not-found.tsx"),
] satisfies RouteConfig;
