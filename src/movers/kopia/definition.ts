import type { MoverDefinition } from "../definition.ts";
import { snapshotForm } from "./args.ts";
import { readLine } from "./parse.ts";
import { Kopia } from "./run.ts";
import { shell } from "./shell.ts";

/** Kopia, for the registry. */
export const kopia = {
  kind: "kopia",
  make: (options) => new Kopia(options),
  oldest: [0, 19],
  install: {
    module: { path: "github.com/kopia/kopia", main: "github.com/kopia/kopia", version: "v0.21.1" },
  },
  snapshot: { words: "a snapshot of kopia", fits: (id) => snapshotForm.test(id) },
  readLine,
  upstream: {
    maintenance: "1h0m0s",
    maintainedAlone: false,
    takesParent: false,
    tags: { "snapshot-requester": "snapshot-pod-volume", "snapshot-uploader": "kopia" },
    formatObject: "kopia.repository",
  },
  shell,
} as const satisfies MoverDefinition;
