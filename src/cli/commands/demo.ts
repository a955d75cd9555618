import { type Command, clusterFlags } from "../command.ts";

export const demo: Command = {
  name: "demo",
  summary: "the whole story on a cluster of its own: backup, disaster, restore, proof",
  description:
    "Starts a small cluster in this process, deploys a shop with real data in two volumes, backs it up, destroys it, restores it and " +
    "compares every byte; then an application action, a snapshot and a move to a second cluster; live on the terminal and on a page whose address it prints. Nothing outside a temporary folder is touched. With --context or --kubeconfig it does " +
    "the same on that cluster, in a namespace of its own: with the server that is installed there, or, where this machine is the " +
    "node, with an operator and an agent that it starts itself (--host-pods).",
  flags: [
    ...clusterFlags,
    { name: "fast", description: "less data: about a minute in all" },
    { name: "keep", description: "keep both clusters running afterwards, until Ctrl-C" },
    { name: "open", description: "open the page in a browser" },
    {
      name: "image",
      value: "IMAGE",
      description: "on a named cluster: image with a shell for the shop's pods",
      default: "docker.io/library/busybox:1.37",
    },
    {
      name: "host-pods",
      value: "DIR",
      description: "on a named cluster: run operator and agent here, with this folder of the kubelet",
    },
    {
      name: "node",
      value: "NAME",
      description: "with --host-pods: the node's name (default: this machine's)",
    },
    { name: "state", value: "DIR", description: "folder for the cluster's state (default: a temporary one)" },
  ],
  examples: ["headway demo --fast", "headway demo --keep", "headway demo --context staging --fast"],
  graceMs: 60_000,
  async run(input, io, signal) {
    const { runDemo } = await import("../demo/run.ts");
    await runDemo(input, io, signal);
  },
};
