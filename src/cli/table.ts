import type { Command } from "./command.ts";
import { actionset } from "./commands/actionset.ts";
import { agent } from "./commands/agent.ts";
import { backup } from "./commands/backup.ts";
import { blueprint } from "./commands/blueprint.ts";
import { bucket } from "./commands/bucket.ts";
import { cluster } from "./commands/cluster.ts";
import { completing, completion } from "./commands/completion.ts";
import { dataTask } from "./commands/data-task.ts";
import { debug } from "./commands/debug.ts";
import { demo } from "./commands/demo.ts";
import { drill } from "./commands/drill.ts";
import { get } from "./commands/get.ts";
import { install, uninstall } from "./commands/install.ts";
import { local } from "./commands/local.ts";
import { location } from "./commands/location.ts";
import { migration } from "./commands/migration.ts";
import { mover } from "./commands/mover.ts";
import { notify } from "./commands/notify.ts";
import { operator } from "./commands/operator.ts";
import { plan } from "./commands/plan.ts";
import { plugin } from "./commands/plugin.ts";
import { profile } from "./commands/profile.ts";
import { recovery } from "./commands/recovery.ts";
import { repo } from "./commands/repo.ts";
import { restore } from "./commands/restore.ts";
import { schedule } from "./commands/schedule.ts";
import { serve } from "./commands/serve.ts";
import { snapshotLocation } from "./commands/snapshot-location.ts";
import { storage } from "./commands/storage.ts";
import { template } from "./commands/template.ts";
import { trace } from "./commands/trace.ts";
import { version } from "./commands/version.ts";
import { watch } from "./commands/watch.ts";
import { verb } from "./verbs.ts";

/** Everything that has a name in the cluster. */
const nouns: readonly Command[] = [
  backup,
  restore,
  schedule,
  drill,
  location,
  snapshotLocation,
  repo,
  actionset,
  profile,
  migration,
  plan,
  cluster,
  storage,
];

/** What a person wants, and the commands for it. */
const groups: readonly (readonly [string, readonly Command[]])[] = [
  ["See how far things are", [watch, get(nouns), serve]],
  [
    "Back up and restore",
    [backup, restore, schedule, drill, recovery, location, snapshotLocation, repo, bucket],
  ],
  ["Act on applications", [actionset, blueprint, profile, template]],
  ["Move to another cluster", [migration, plan, cluster, storage]],
  [
    "The same, with the verb in front",
    [
      verb("describe", "tell everything about things", nouns),
      verb("create", "make things", nouns),
      verb("delete", "delete things", nouns),
      verb("logs", "print the log of a backup or a restore", nouns),
    ],
  ],
  ["Run Headway", [install, uninstall, operator, agent, mover, plugin, notify, trace, debug]],
  ["Try it, and about this program", [demo, local, completion, completing(() => root), dataTask, version]],
];

/** Every command, in the order of the help. */
export const root: Command = {
  name: "headway",
  summary: "Runs and watches backups, restores, application actions and migrations on Kubernetes.",
  examples: [
    "headway demo --fast                     # the whole story on a cluster of its own",
    "headway watch                           # everything that runs, live, whoever runs it",
    "headway backup create shop --include-namespaces shop --wait",
  ],
  commands: groups.flatMap(([group, commands]) => commands.map((command) => ({ ...command, group }))),
};
