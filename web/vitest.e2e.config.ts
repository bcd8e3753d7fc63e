import { defineConfig } from "vitest/config";

/** The page in a real browser, served by the real program. One browser and one daemon at a time: there are few cores. */
export default defineConfig({
  test: {
    include: ["tests/e2e/**/*.test.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
