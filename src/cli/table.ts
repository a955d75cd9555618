import type { Command } from "./command.ts";
import { completion } from "./commands/completion.ts";
import { operator } from "./commands/operator.ts";
import { version } from "./commands/version.ts";

/** Every command, in the order of the help. */
export const root: Command = {
  name: "headway",
  summary: "Runs and watches backups, restores, application actions and migrations on Kubernetes.",
  commands: [operator, completion(() => root), version],
};
