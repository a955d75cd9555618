import {
  type Command,
  clusterFlags,
  type Flag,
  followFlag,
  listFlag,
  makeFlags,
  outputFlag,
  text,
  truthFlag,
} from "../command.ts";

const specFlags: readonly Flag[] = [
  { name: "from-backup", value: "NAME", description: "the backup to restore from" },
  {
    name: "from-schedule",
    value: "NAME",
    description: "the schedule whose newest completed backup is restored",
  },
  {
    name: "allow-partially-failed",
    description: "with --from-schedule: take a partially failed backup if it is newer",
  },
  listFlag("include-namespaces", "namespaces to include, names or patterns (default: all)"),
  listFlag("exclude-namespaces", "namespaces to leave out"),
  listFlag("include-resources", "resource types to include"),
  listFlag("exclude-resources", "resource types to leave out"),
  listFlag("namespace-mappings", "namespaces that get another name, source:target"),
  listFlag("labels", "labels for the restore, key=value"),
  listFlag("annotations", "annotations for the restore, key=value"),
  { name: "selector", short: "l", value: "SELECTOR", description: "only objects with these labels" },
  {
    name: "or-selector",
    value: "SELECTORS",
    description: 'objects that any of these select, joined with " or "',
  },
  truthFlag("include-cluster-resources", "whether cluster-scoped objects are restored"),
  truthFlag("restore-volumes", "whether volumes are restored from snapshots"),
  truthFlag("preserve-nodeports", "whether services keep their node ports"),
  {
    name: "existing-resource-policy",
    value: "POLICY",
    description: "what happens to objects that exist already",
    choices: ["none", "update"],
  },
  listFlag("status-include-resources", "resource types whose status is restored"),
  listFlag("status-exclude-resources", "resource types whose status is not restored"),
  {
    name: "item-operation-timeout",
    value: "DURATION",
    description: "how long asynchronous operations may take",
  },
  {
    name: "resource-policies-configmap",
    value: "NAME",
    description: "ConfigMap with rules for the items to restore",
  },
  { name: "resource-modifier-configmap", value: "NAME", description: "ConfigMap with patches for objects" },
  truthFlag("write-sparse-files", "whether holes in files are kept"),
  { name: "parallel-files-download", value: "N", description: "files downloaded at the same time" },
];

const dryRun: Flag = {
  name: "dry-run",
  value: "MODE",
  description:
    "make nothing: plan tells what would become of each object, client says what the restore would be, server also asks the cluster to check that",
  choices: ["none", "plan", "client", "server"],
  alone: "plan",
};
const name = { name: "NAME", description: "the restore's name", required: true } as const;
const names = { name: "NAME", description: "names of restores (default: all)", repeat: true } as const;
const some = {
  name: "NAME",
  description: "names of restores, unless --selector or --all",
  repeat: true,
} as const;
const selector: Flag = {
  name: "selector",
  short: "l",
  value: "SELECTOR",
  description: "only restores with these labels",
};

export const restore: Command = {
  name: "restore",
  summary: "make, look at and delete restores",
  aliases: ["restores"],
  commands: [
    {
      name: "create",
      summary: "restore a backup",
      args: [{ name: "NAME", description: "the restore's name (default: from the backup and the time)" }],
      flags: [
        ...clusterFlags,
        ...specFlags,
        { name: "wait", short: "w", description: "show how far it is until it has ended" },
        {
          name: "files",
          value: "PATH",
          description:
            "bring only this file or folder of a volume back, into a running pod: NAMESPACE/POD/VOLUME/PATH",
        },
        {
          name: "to",
          value: "PATH",
          description: "with --files: the folder that they are put into (default: where they were)",
        },
        ...makeFlags.map((flag) => (flag.name === "dry-run" ? dryRun : flag)),
      ],
      exits: {
        1: "with --wait: the restore failed or partially failed; with --dry-run: something stands in its way",
        4: "with --wait: the restore was canceled",
        5: "with --dry-run: of some items you may not know what becomes of them",
      },
      examples: [
        "headway restore create --from-backup nightly --wait",
        "headway restore create try --from-schedule nightly --namespace-mappings shop:shop-try",
      ],
      async run(input, io, signal) {
        if (text(input, "files") !== undefined) {
          const { restoreFiles } = await import("../restore/files.ts");
          return restoreFiles(input, io, signal);
        }
        const { createRestore } = await import("../restore/create.ts");
        return createRestore(input, io, signal);
      },
    },
    {
      name: "plan",
      summary: "tell what a restore would do, and change nothing",
      description:
        "Goes the way of a restore with the rights of the person who asks. The API server is asked about each object by a dry run, so that its admission answers; where a namespace or a kind is not there yet, the plan says that it was not asked. The same flags as create.",
      args: [{ name: "BACKUP", description: "the backup to restore from, unless a flag names it" }],
      flags: [
        ...clusterFlags,
        ...specFlags,
        {
          name: "details",
          description: "list every object, not only those that something stands in the way of",
        },
        outputFlag("table", "wide", "json", "yaml"),
      ],
      exits: {
        1: "something stands in its way: a conflict, a refusal, or the restore as a whole",
        5: "of some items you may not know what becomes of them",
      },
      examples: [
        "headway restore plan nightly",
        "headway restore plan nightly --namespace-mappings shop:shop-try --existing-resource-policy update",
        "headway restore plan nightly -o json",
      ],
      async run(input, io, signal) {
        const { planRestores } = await import("../restore/plan.ts");
        return planRestores(input, io, signal);
      },
    },
    {
      name: "get",
      summary: "list restores",
      args: [names],
      flags: [...clusterFlags, selector, outputFlag("table", "wide", "json", "yaml", "name")],
      async run(input, io, signal) {
        const { getRestores } = await import("../restore/get.ts");
        await getRestores(input, io, signal);
      },
    },
    {
      name: "describe",
      summary: "tell everything about restores",
      args: [names],
      flags: [
        ...clusterFlags,
        selector,
        { name: "details", description: "with the list of objects and volumes" },
      ],
      async run(input, io, signal) {
        const { describeRestores } = await import("../restore/describe.ts");
        await describeRestores(input, io, signal);
      },
    },
    {
      name: "logs",
      summary: "print a restore's log",
      args: [name],
      flags: [...clusterFlags, followFlag],
      async run(input, io, signal) {
        const { printLogs } = await import("../restore/logs.ts");
        return printLogs(input, io, signal);
      },
    },
    {
      name: "cancel",
      summary: "ask a running restore to stop",
      description:
        "What was restored stays; the restore ends as Failed, with the reason that it was canceled.",
      args: [name],
      flags: clusterFlags,
      async run(input, io, signal) {
        const { cancelRestore } = await import("../restore/delete.ts");
        await cancelRestore(input, io, signal);
      },
    },
    {
      name: "delete",
      summary: "delete restores with their logs; what they restored stays",
      args: [some],
      flags: [
        ...clusterFlags,
        selector,
        { name: "all", description: "all restores" },
        { name: "confirm", description: "do not ask" },
      ],
      async run(input, io, signal) {
        const { deleteRestores } = await import("../restore/delete.ts");
        await deleteRestores(input, io, signal);
      },
    },
  ],
};
