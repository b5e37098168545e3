import { configDefaults, defineConfig } from "vitest/config";

// Without React Router's Vite plugin: it wraps route modules, and they would not get the arguments that a test passes.
export default defineConfig({
  test: {
    include: ["**/*.test.{ts,tsx}"],
    exclude: [...configDefaults.exclude, "build/**", "e2e/**", "data/**", ".runtime/**"],
    environment: "node",
    // Without this a style sheet that is imported as text is empty.
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
