import { type Command, clusterFlags } from "../command.ts";

export const install: Command = {
  name: "install",
  summary: "print or apply what runs Headway in a cluster",
  description:
    "Prints the kinds, the namespace, the roles, the operator, the agents and the service as YAML; with --apply they are applied to the " +
    "cluster instead: it is looked at first (version, your rights, a Velero that runs, nodes, pod security), and the command ends when everything runs. The roles hold what the chosen controllers need for backups and nothing else; " +
    "what restores, actions and migrations need beyond that is chosen with the flags for rights.",
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
      name: "restore-rights",
      value: "MODE",
      description:
        "with whose rights restores are done: none at all, those of a service account that you give rights to, or the whole cluster for the operator itself",
      choices: ["none", "account", "cluster"],
      default: "account",
    },
    {
      name: "restore-account",
      value: "NAME",
      description:
        "a service account that restores may be done with; the first one is for Restores that name none (default: headway-restore)",
      repeat: true,
    },
    {
      name: "action-rights",
      value: "MODE",
      description: "where actions may run pods and commands: namespaces that you allow, or the whole cluster",
      choices: ["namespaces", "cluster"],
      default: "namespaces",
    },
    {
      name: "migration-rights",
      value: "MODE",
      description: "whether this cluster may be the source or the destination of migrations",
      choices: ["none", "cluster"],
      default: "none",
    },
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
    { name: "crds-only", description: "the kinds and nothing else" },
    {
      name: "take-over-crds",
      description:
        "apply also kinds that another program installed, such as Velero's; they are left alone otherwise",
    },
    { name: "skip-checks", description: "apply without looking at the cluster first" },
    { name: "no-wait", description: "end when everything is applied, whether it runs or not" },
    { name: "timeout", value: "DURATION", description: "how long to wait until it runs", default: "5m" },
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
