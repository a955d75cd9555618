import { type Command, clusterFlags } from "../command.ts";

export const agent: Command = {
  name: "agent",
  lasting: true,
  summary: "copy the volumes of one node",
  description:
    "Runs the agent of a node: takes the PodVolumeBackups and PodVolumeRestores of the node, and the DataUploads and DataDownloads of the " +
    "cluster together with the other agents, runs restic and kopia on the pods' folders and writes how far they are. Copies that an earlier agent of the node left go on. Needs to read the kubelet's folder, so mostly root.",
  flags: [
    ...clusterFlags,
    { name: "node", value: "NAME", description: "the node's name (default: NODE_NAME)" },
    {
      name: "host-pods",
      value: "DIR",
      description: "the kubelet's folder of pods",
      default: "/var/lib/kubelet/pods",
    },
    { name: "concurrency", value: "N", description: "volumes copied at a time", default: "2" },
    {
      name: "node-agent-configmap",
      value: "NAME",
      description:
        "ConfigMap with the settings of upstream's node agents; its loadConcurrency counts instead of --concurrency",
    },
    {
      name: "data-mover-prepare-timeout",
      value: "TIME",
      description: "how long making a snapshot's volume reachable may take",
      default: "30m",
    },
    {
      name: "pod-image",
      value: "IMAGE",
      description:
        "image of the pods that hold volumes while they are copied; any one with a shell (default: HEADWAY_IMAGE)",
    },
    {
      name: "state-dir",
      value: "DIR",
      description: "caches of the movers; each agent of a machine has its own",
      default: "/var/lib/headway/agent",
    },
    {
      name: "listen",
      value: "HOST:PORT",
      description: "where /healthz and /readyz are answered (default: nowhere)",
    },
  ],
  examples: [
    "headway agent --node worker-1",
    "headway agent --node n1 --host-pods /tmp/pods --state-dir /tmp/agent",
  ],
  async run(input, io, signal) {
    const { runAgent } = await import("../agent/run.ts");
    await runAgent(input, io, signal);
  },
};
