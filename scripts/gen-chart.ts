// Writes deploy/chart from the objects of `headway install`.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import about from "../package.json" with { type: "json" };
import { chart } from "../src/cli/install/chart.ts";

const folder = join(import.meta.dirname, "../deploy/chart");
rmSync(folder, { recursive: true, force: true });
for (const [path, text] of chart(about.version)) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
