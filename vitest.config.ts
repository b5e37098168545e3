import { configDefaults, defineConfig } from "vitest/config";

// The router's Vite plugin stays out on purpose: it wraps route modules, and what a test passes in would be lost.
export default defineConfig({
  test: {
    include: ["**/*.test.{ts,tsx}"],
    exclude: [...configDefaults.exclude, "build/**", "e2e/**", "data/**", ".runtime/**"],
    environment: "node",
    // Else a style sheet read as text would be empty.
    css: { include: [/\.css\?raw$/] },
    globalSetup: ["tools/testing/postgres.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    allowOnly: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
