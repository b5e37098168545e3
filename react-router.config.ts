import type { Config } from "@react-router/dev/config";
import { compressAssets } from "./tools/compress-assets.ts";

export default {
  appDirectory: "app",
  ssr: true,
  // The sitemap is small: sending it with the page saves a request for every link in view.
  routeDiscovery: { mode: "initial" },
  buildEnd: ({ reactRouterConfig }) => compressAssets(`${reactRouterConfig.buildDirectory}/client/assets`),
} satisfies Config;
