import type { MoverDefinition } from "../definition.ts";
import { snapshotForm } from "./args.ts";
import { readLine } from "./parse.ts";
import { Restic } from "./run.ts";
import { shell } from "./shell.ts";

/** Restic, for the registry. */
export const restic = {
  kind: "restic",
  make: (options) => new Restic(options),
  oldest: [0, 14],
  install: {
    module: {
      path: "github.com/restic/restic",
      main: "github.com/restic/restic/cmd/restic",
      version: "v0.18.0",
    },
    debian: "restic",
  },
  snapshot: { words: "a snapshot of restic", fits: (id) => snapshotForm.test(id) },
  readLine,
  upstream: { maintenance: "168h0m0s", maintainedAlone: true, takesParent: true, tags: {} },
  shell,
} as const satisfies MoverDefinition;
