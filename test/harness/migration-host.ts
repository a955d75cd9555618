// The migration controllers alone, in a process that loads fast: tests kill it many times. Arguments: address, namespace.
import { startMigrationControllers } from "../../src/engines/migration/index.ts";
import { connectTo, systemClock } from "../../src/kube/index.ts";

const [server = "", namespace = ""] = process.argv.slice(2);
const deps = { client: connectTo({ server }), namespace, clock: systemClock, log: () => undefined };
await startMigrationControllers({ ...deps, stageImage: "none", pollMs: 30 }, new AbortController().signal);
