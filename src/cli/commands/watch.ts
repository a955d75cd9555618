import { type Command, clusterFlags, outputFlag } from "../command.ts";

export const watch: Command = {
  name: "watch",
  summary: "follow operations live, whoever runs them",
  description:
    "Shows backups, restores, actions and migrations with all their parts while they run: a live tree on a terminal, one JSON " +
    "object a line otherwise. With names it ends when they have ended; without, it follows whatever runs until Ctrl-C. " +
    "Stopping it stops nothing else. Keys on a terminal: up and down choose, Enter opens, Esc goes back, / filters, l shows the events, " +
    "c asks for the end of the chosen one after a confirmation, q quits.",
  args: [
    {
      name: "KIND/NAME",
      description:
        "backup, restore, actionset, migration or drill and a name; KIND/NAMESPACE/NAME also works",
      repeat: true,
    },
  ],
  flags: [
    ...clusterFlags.filter((flag) => flag.name !== "namespace"),
    { name: "namespace", short: "n", value: "NAME", description: "only this namespace (default: all)" },
    { name: "wait", description: "wait for names that do not exist yet" },
    outputFlag("json"),
  ],
  exits: { 1: "an operation failed or partially failed", 4: "an operation was canceled" },
  examples: [
    "headway watch",
    "headway watch backup/nightly",
    "headway watch restore/r1 | jq .operation.fraction",
  ],
  async run(input, io, signal) {
    const { runWatch } = await import("../watch/run.ts");
    return runWatch(input, io, signal);
  },
};
