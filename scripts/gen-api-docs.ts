// Writes docs/api.md from the kinds of src/api. Their definitions lie in the chart, which scripts/gen-chart.ts writes.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { allKinds } from "../src/api/index.ts";
import { apiPage } from "./api-page.ts";

writeFileSync(join(import.meta.dirname, "../docs/api.md"), apiPage(allKinds));
