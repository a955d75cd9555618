// Writes docs/cli.md from the command table.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reference } from "../src/cli/render/reference.ts";
import { root } from "../src/cli/table.ts";

writeFileSync(join(import.meta.dirname, "../docs/cli.md"), reference(root));
