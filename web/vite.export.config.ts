import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

/** The viewer inside exported sessions: one script and one style sheet, which the program writes into each file. */
export default defineConfig({
  plugins: [svelte()],
  publicDir: false,
  build: {
    target: "es2023",
    outDir: "dist/export",
    assetsInlineLimit: Number.POSITIVE_INFINITY,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: "src/export/main.ts",
      // One script has no address of its own, and what Vite adds for loading further ones is never run.
      transform: { define: { "import.meta": "{}" } },
      output: {
        format: "iife",
        entryFileNames: "viewer.js",
        assetFileNames: "viewer[extname]",
        codeSplitting: false,
      },
    },
  },
});
