import { type Command, clusterFlags, type Flag, outputFlag } from "../command.ts";

const list = (name: string, short: string | undefined, value: string, description: string): Flag => ({
  name,
  ...(short !== undefined && { short }),
  value,
  description,
  repeat: true,
});

const names = { name: "NAME", description: "names of ActionSets (default: all)", repeat: true } as const;
const selector: Flag = {
  name: "selector",
  short: "l",
  value: "SELECTOR",
  description: "only ActionSets with these labels",
};

const createFlags: readonly Flag[] = [
  {
    name: "action",
    short: "a",
    value: "NAME",
    description: "action of the blueprint (needed without --from)",
  },
  {
    name: "name",
    short: "A",
    value: "NAME",
    description: "the ActionSet's name (default: from action, parent and chance)",
  },
  { name: "blueprint", short: "b", value: "NAME", description: "blueprint (needed without --from)" },
  {
    name: "from",
    short: "f",
    value: "NAME",
    description: "a complete ActionSet whose objects and artifacts are taken",
  },
  list("config-maps", "c", "REF=NS/NAME", "ConfigMaps for the templates"),
  list("secrets", "s", "REF=NS/NAME", "Secrets for the templates"),
  list("deployment", "d", "NS/NAME", "Deployments to act on"),
  list("statefulset", "t", "NS/NAME", "StatefulSets to act on"),
  list("deploymentconfig", "D", "NS/NAME", "DeploymentConfigs to act on"),
  list("pvc", "v", "NS/NAME", "volume claims to act on"),
  list("namespacetargets", "T", "NAME", "namespaces to act on"),
  list("objects", "O", "G/V/R/NS/NAME", "any other objects to act on; without G/ for the core group"),
  { name: "selector", short: "l", value: "SELECTOR", description: "act on objects with these labels" },
  {
    name: "kind",
    short: "k",
    value: "KIND",
    description: "kind of the objects that --selector selects",
    choices: ["all", "deployment", "deploymentconfig", "statefulset", "pvc", "namespace"],
    default: "all",
  },
  {
    name: "selector-namespace",
    value: "NAME",
    description: "namespace of the objects that --selector selects",
  },
  list("options", "o", "KEY=VALUE", "options for the templates"),
  { name: "profile", short: "p", value: "[NS/]NAME", description: "profile: where data are stored" },
  list("labels", undefined, "KEY=VALUE", "labels for the ActionSet"),
  list("podlabels", undefined, "KEY=VALUE", "labels for the pods of functions"),
  list("podannotations", undefined, "KEY=VALUE", "annotations for the pods of functions"),
  {
    name: "dry-run",
    value: "MODE",
    description: "print the ActionSet and create nothing",
    choices: ["none", "client"],
    alone: "client",
  },
  { name: "skip-validation", description: "do not look whether everything it names is there" },
  { name: "wait", short: "w", description: "show how far it is until it has ended" },
];

export const actionset: Command = {
  name: "actionset",
  summary: "run actions on applications and look at them",
  aliases: ["actionsets", "as"],
  commands: [
    {
      name: "create",
      summary: "run an action, with the flags of `kanctl create actionset`",
      flags: [...clusterFlags, ...createFlags],
      exits: { 1: "with --wait: the ActionSet failed" },
      examples: [
        "headway actionset create -a backup -b mysql -t shop/mysql -p s3 --wait",
        "headway actionset create -a restore -f backup-x2d4f",
      ],
      async run(input, io, signal) {
        const { createActionSet } = await import("../actionset/create.ts");
        return createActionSet(input, io, signal);
      },
    },
    {
      name: "get",
      summary: "list ActionSets with their progress",
      args: [names],
      flags: [...clusterFlags, selector, outputFlag("table", "wide", "json", "yaml", "name")],
      async run(input, io, signal) {
        const { getActionSets } = await import("../actionset/get.ts");
        await getActionSets(input, io, signal);
      },
    },
    {
      name: "describe",
      summary: "tell everything about ActionSets, their phases as a tree",
      args: [names],
      flags: [...clusterFlags, selector],
      async run(input, io, signal) {
        const { describeActionSets } = await import("../actionset/get.ts");
        await describeActionSets(input, io, signal);
      },
    },
    {
      name: "watch",
      summary: "show an ActionSet live until it has ended",
      args: [{ name: "NAME", description: "the ActionSet's name", required: true }],
      flags: clusterFlags,
      exits: { 1: "the ActionSet failed" },
      async run(input, io, signal) {
        const { watchActionSet } = await import("../actionset/watch.ts");
        return watchActionSet(input, io, signal);
      },
    },
  ],
};
