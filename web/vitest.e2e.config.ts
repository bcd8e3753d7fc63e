import { defineConfig } from "vitest/config";

/** The page in a real browser, served by the real program. One browser and one daemon at a time: there are few cores. */
export default defineConfig({
  test: {
    // A browser may be slow to take a key where many work at once: what fails twice is wrong.
    retry: 1,
    include: ["tests/e2e/**/*.test.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
