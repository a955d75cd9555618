// Writes deploy/chart from the objects of `headway install`, and the reference of its values.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import about from "../package.json" with { type: "json" };
import { alerts } from "./chart/alerts.ts";
import { chart } from "./chart/chart.ts";
import { dashboard } from "./chart/dashboard.ts";
import { valuesPage } from "./chart/value-tree.ts";
import { values } from "./chart/values.ts";

const folder = join(import.meta.dirname, "../deploy/chart");
rmSync(folder, { recursive: true, force: true });
for (const [path, text] of chart(about.version, { dashboard, alerts })) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
writeFileSync(join(import.meta.dirname, "../docs/values.md"), valuesPage(values));
