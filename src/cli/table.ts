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

/** Every command, in the order of the help. */
export const root: Command = {
  name: "headway",
  summary: "Runs and watches backups, restores, application actions and migrations on Kubernetes.",
  commands: [
    operator,
    serve,
    install,
    uninstall,
    agent,
    watch,
    get,
    repo,
    mover,
    backup,
    location,
    snapshotLocation,
    plugin,
    restore,
    schedule,
    cluster,
    storage,
    plan,
    migration,
    actionset,
    blueprint,
    profile,
    template,
    local,
    demo,
    completion(() => root),
    version,
  ],
};
