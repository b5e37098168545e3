import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Property tests take the longest. They start first, so that no worker waits for them at the end. */
class PropertyTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isProperty = (file: TestSpecification) => file.moduleId.includes(".property.test.");
    const sorted = await super.sort(files);
    return [...sorted.filter(isProperty), ...sorted.filter((file) => !isProperty(file))];
  }
}

// Without React Router's Vite plugin: it wraps route modules, and they would not get the arguments that a test passes.
export default defineConfig({
  test: {
    include: ["**/*.test.{ts,tsx}"],
    exclude: [...configDefaults.exclude, "build/**", "tests/e2e/**", "data/**", ".runtime/**"],
    environment: "node",
    // Without this a style sheet that is imported as text is empty.
    css: { include: [/\.css\?raw$/] },
    globalSetup: ["tests/database/postgres.ts"],
    pool: "forks",
    maxWorkers: 2,
    // The files of a worker share the modules that they import: importing them anew takes 40 % of the time. A test must
    // not leave changed modules or globals behind.
    isolate: false,
    sequence: { sequencer: PropertyTestsFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    allowOnly: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
