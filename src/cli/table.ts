import type { Command } from "./command.ts";
import { actionset } from "./commands/actionset.ts";
import { agent } from "./commands/agent.ts";
import { backup } from "./commands/backup.ts";
import { blueprint } from "./commands/blueprint.ts";
import { cluster } from "./commands/cluster.ts";
import { completion } from "./commands/completion.ts";
import { demo } from "./commands/demo.ts";
import { get } from "./commands/get.ts";
import { install, uninstall } from "./commands/install.ts";
import { local } from "./commands/local.ts";
import { location } from "./commands/location.ts";
import { migration } from "./commands/migration.ts";
import { mover } from "./commands/mover.ts";
import { operator } from "./commands/operator.ts";
import { plan } from "./commands/plan.ts";
import { plugin } from "./commands/plugin.ts";
import { profile } from "./commands/profile.ts";
import { repo } from "./commands/repo.ts";
import { restore } from "./commands/restore.ts";
import { schedule } from "./commands/schedule.ts";
import { serve } from "./commands/serve.ts";
import { snapshotLocation } from "./commands/snapshot-location.ts";
import { storage } from "./commands/storage.ts";
import { template } from "./commands/template.ts";
import { version } from "./commands/version.ts";
import { watch } from "./commands/watch.ts";

/** What a person wants, and the commands for it. */
const groups: readonly (readonly [string, readonly Command[]])[] = [
  ["See how far things are", [watch, get, serve]],
  ["Back up and restore", [backup, restore, schedule, location, snapshotLocation, repo]],
  ["Act on applications", [actionset, blueprint, profile, template]],
  ["Move to another cluster", [migration, plan, cluster, storage]],
  ["Run Headway", [install, uninstall, operator, agent, mover, plugin]],
  ["Try it, and about this program", [demo, local, completion(() => root), version]],
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
