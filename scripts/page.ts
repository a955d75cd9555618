// Builds the page when a source of it is newer than what was built. Everything else in a clone runs as it is.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const built = join(root, "dist/ui/index.html");
const sources = ["src/ui", "src/progress", "src/api", "vite.config.ts", "package-lock.json"];

function newest(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(...readdirSync(path).map((name) => newest(join(path, name))));
}

const builtAt = existsSync(built) ? statSync(built).mtimeMs : 0;
if (Math.max(...sources.map((source) => newest(join(root, source)))) > builtAt) {
  console.error("building the page");
  const { build } = await import("vite");
  await build({ configFile: join(root, "vite.config.ts") });
}
