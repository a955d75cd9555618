import { join } from "node:path";
import { defineConfig } from "vite";

/** Builds the page into dist/ui. Nothing is inlined as script or style: the page's policy forbids it. */
export default defineConfig({
  root: join(import.meta.dirname, "src/ui"),
  base: "/",
  publicDir: "public",
  logLevel: "warn",
  build: {
    outDir: join(import.meta.dirname, "dist/ui"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: false,
    chunkSizeWarningLimit: 2_000,
  },
});
