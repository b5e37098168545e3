import type { Config } from "@react-router/dev/config";

export default {
  appDirectory: "app",
  ssr: true,
  // The sitemap is small: sending it with the page saves a request for every link in view.
  routeDiscovery: { mode: "initial" },
} satisfies Config;
