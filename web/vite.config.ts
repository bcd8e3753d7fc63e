import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";

/** Where a daemon answers while the page is worked on: `PI_BRAIN_URL=http://127.0.0.1:8765 npm run dev`. */
const daemon = process.env.PI_BRAIN_URL ?? "http://127.0.0.1:8765";

/** The daemon lets in its own page only, so what `vite` passes on has to look like that page's requests. */
const asItsOwn = { target: daemon, changeOrigin: true, headers: { origin: daemon } };

export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  build: {
    target: "es2023",
    // Everything is embedded into the program, which names each file by its content.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    proxy: { "/api": asItsOwn, "/health": asItsOwn, "/ws": { ...asItsOwn, ws: true } },
  },
  test: { environment: "jsdom", include: ["src/**/*.test.ts", "tests/*.test.ts"] },
});
