import { type Command, clusterFlags } from "../command.ts";

export const install: Command = {
  name: "install",
  summary: "print or apply what runs Headway in a cluster",
  description:
    "Prints the kinds, the namespace, the roles, the operator, the agents and the service as YAML; with --apply they are applied to the " +
    "cluster instead. The roles hold what the chosen controllers need and nothing else.",
  flags: [
    ...clusterFlags,
    { name: "apply", description: "apply instead of print" },
    { name: "image", value: "IMAGE", description: "the image to run (default: headway:VERSION)" },
    {
      name: "image-pull-policy",
      value: "POLICY",
      description: "when nodes fetch the image (default: as the cluster does)",
      choices: ["Always", "IfNotPresent", "Never"],
    },
    { name: "controllers", value: "LIST", description: "controllers to run (default: all)", repeat: true },
    { name: "no-agent", description: "no agents: the files of pod volumes are not copied" },
    {
      name: "host-pods",
      value: "DIR",
      description: "the kubelet's folder of pods on every node",
      default: "/var/lib/kubelet/pods",
    },
    {
      name: "webhook",
      description:
        "let the cluster ask the operator before it stores Blueprints and ActionSets, with a certificate made now",
    },
    { name: "no-crds", description: "leave the kinds out" },
  ],
  examples: [
    "headway install --image registry.example/headway:0.1.0 --apply",
    "headway install | kubectl apply -f -",
  ],
  async run(input, io, signal) {
    const { runInstall } = await import("../install/run.ts");
    await runInstall(input, io, signal);
  },
};

export const uninstall: Command = {
  name: "uninstall",
  summary: "take away what install applied",
  description:
    "Deletes the operator, the agents, the service and their roles. Backups and all other objects stay.",
  flags: [
    ...clusterFlags,
    { name: "crds", description: "delete the kinds too, and with them every Backup, Restore and Schedule" },
    { name: "delete-namespace", description: "delete the namespace too, with everything in it" },
  ],
  async run(input, io, signal) {
    const { runUninstall } = await import("../install/run.ts");
    await runUninstall(input, io, signal);
  },
};
