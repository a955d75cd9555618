import type { Command } from "../command.ts";

export const demo: Command = {
  name: "demo",
  summary: "the whole story on a cluster of its own: backup, disaster, restore, proof",
  description:
    "Starts a small cluster in this process, deploys a shop with real data in two volumes, backs it up, destroys it, restores it and " +
    "compares every byte, live on the terminal and on a page whose address it prints. Nothing outside a temporary folder is touched.",
  flags: [
    { name: "fast", description: "less data: about a minute in all" },
    { name: "keep", description: "keep the cluster running afterwards, until Ctrl-C" },
    { name: "open", description: "open the page in a browser" },
    { name: "state", value: "DIR", description: "folder for the cluster's state (default: a temporary one)" },
  ],
  examples: ["headway demo --fast", "headway demo --keep"],
  async run(input, io, signal) {
    const { runDemo } = await import("../demo/run.ts");
    await runDemo(input, io, signal);
  },
};
