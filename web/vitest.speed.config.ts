import { defineConfig } from "vitest/config";

import e2e from "./vitest.e2e.config.ts";

/** The page before a large store, by hand. */
export default defineConfig({ test: { ...e2e.test, include: ["tests/speed/*.test.ts"] } });
