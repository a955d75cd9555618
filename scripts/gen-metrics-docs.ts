// Writes docs/metrics.md.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { metricsPage } from "./metrics-page.ts";

writeFileSync(join(import.meta.dirname, "../docs/metrics.md"), metricsPage());
