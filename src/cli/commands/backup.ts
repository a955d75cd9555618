import {
  type Command,
  clusterFlags,
  type Flag,
  followFlag,
  listFlag,
  makeFlags,
  outputFlag,
  truthFlag,
} from "../command.ts";

/** Flags that say what a backup holds; a schedule has them too. */
export const backupSpecFlags: readonly Flag[] = [
  listFlag("include-namespaces", "namespaces to include, names or patterns (default: all)"),
  listFlag("exclude-namespaces", "namespaces to leave out"),
  listFlag("include-resources", "resource types to include, of any scope"),
  listFlag("exclude-resources", "resource types to leave out"),
  listFlag("include-cluster-scoped-resources", "cluster-scoped resource types to include"),
  listFlag("exclude-cluster-scoped-resources", "cluster-scoped resource types to leave out"),
  listFlag("include-namespace-scoped-resources", "namespaced resource types to include"),
  listFlag("exclude-namespace-scoped-resources", "namespaced resource types to leave out"),
  truthFlag("include-cluster-resources", "whether cluster-scoped objects are included"),
  listFlag("labels", "labels for the backup, key=value"),
  listFlag("annotations", "annotations for the backup, key=value"),
  { name: "storage-location", value: "NAME", description: "where to store" },
  listFlag("volume-snapshot-locations", "where to snapshot, at most one for each provider"),
  { name: "selector", short: "l", value: "SELECTOR", description: "only objects with these labels" },
  {
    name: "or-selector",
    value: "SELECTORS",
    description: 'objects that any of these select, joined with " or "',
  },
  {
    name: "ordered-resources",
    value: "ORDER",
    description: "order inside types, such as pods=ns1/a,ns1/b;pvs=x",
  },
  { name: "csi-snapshot-timeout", value: "DURATION", description: "how long a CSI snapshot may take" },
  {
    name: "item-operation-timeout",
    value: "DURATION",
    description: "how long asynchronous operations may take",
  },
  truthFlag("snapshot-volumes", "whether volumes are snapshotted"),
  truthFlag("snapshot-move-data", "whether snapshot data is moved to the location"),
  truthFlag("default-volumes-to-fs-backup", "whether all pod volumes are copied file by file"),
  {
    name: "resource-policies-configmap",
    value: "NAME",
    description: "ConfigMap with rules for volumes and types",
  },
  { name: "data-mover", value: "NAME", description: "data mover for snapshots" },
  { name: "parallel-files-upload", value: "N", description: "files uploaded at the same time" },
  {
    name: "ttl",
    value: "DURATION",
    description: "how long the backup is kept (default: the operator's, 720h)",
  },
];

const name = { name: "NAME", description: "the backup's name", required: true } as const;
const address = {
  name: "PATH",
  description: "NAMESPACE/POD/VOLUME/PATH, or NAMESPACE/pvc:CLAIM/PATH for moved data",
  required: true,
} as const;
/** A mover that only reads gets a second to end, and its folder is removed then. */
const moverGraceMs = 6_000;
const names = { name: "NAME", description: "names of backups (default: all)", repeat: true } as const;

const some = {
  name: "NAME",
  description: "names of backups, unless --selector or --all",
  repeat: true,
} as const;

export const backup: Command = {
  name: "backup",
  summary: "make, look at and delete backups",
  aliases: ["backups"],
  commands: [
    {
      name: "create",
      summary: "make a backup",
      args: [{ name: "NAME", description: "the backup's name (default: from the schedule and the time)" }],
      flags: [
        ...clusterFlags,
        ...backupSpecFlags,
        { name: "from-schedule", value: "NAME", description: "take everything from a schedule" },
        { name: "wait", short: "w", description: "wait until it has ended, showing how far it is" },
        ...makeFlags,
      ],
      exits: {
        1: "with --wait: the backup failed or partially failed",
        4: "with --wait: the backup was canceled",
      },
      examples: [
        "headway backup create nightly --include-namespaces shop --wait",
        "headway backup create now --from-schedule nightly",
      ],
      run: async (input, io, signal) => (await import("../backup/create.ts")).createBackup(input, io, signal),
    },
    {
      name: "get",
      summary: "list backups",
      args: [names],
      flags: [
        ...clusterFlags,
        { name: "selector", short: "l", value: "SELECTOR", description: "only backups with these labels" },
        { name: "show-labels", description: "show labels too" },
        outputFlag("table", "wide", "json", "yaml", "name"),
      ],
      run: async (input, io, signal) => (await import("../backup/get.ts")).getBackups(input, io, signal),
    },
    {
      name: "describe",
      summary: "tell everything about backups",
      args: [names],
      flags: [
        ...clusterFlags,
        { name: "details", description: "with every item and every volume" },
        { name: "selector", short: "l", value: "SELECTOR", description: "only backups with these labels" },
        outputFlag("plaintext", "json", "yaml"),
      ],
      run: async (input, io, signal) =>
        (await import("../backup/describe.ts")).describeBackups(input, io, signal),
    },
    {
      name: "logs",
      summary: "print a backup's log",
      args: [name],
      flags: [...clusterFlags, followFlag],
      run: async (input, io, signal) => (await import("../backup/files.ts")).printLogs(input, io, signal),
    },
    {
      name: "download",
      summary: "save a backup's tarball, or a file or folder of a volume",
      description:
        "Without PATH: the archive of the objects. With PATH: a file as it is, a folder as tar. `-o -` writes to standard output.",
      args: [name, { ...address, required: false }],
      flags: [
        ...clusterFlags,
        {
          name: "output",
          short: "o",
          value: "FILE",
          description: "where to (default: NAME-data.tar.gz, or named after PATH)",
        },
        { name: "force", description: "overwrite a file that exists" },
      ],
      graceMs: moverGraceMs,
      run: async (input, io, signal) =>
        input.args[1] === undefined
          ? (await import("../backup/files.ts")).download(input, io, signal)
          : (await import("../backup/browse.ts")).downloadPath(input, io, signal),
    },
    {
      name: "ls",
      summary: "list what a backup holds: objects, volumes, and files of volumes",
      description:
        "Without PATH: namespaces with their objects, and the volumes whose files can be read. With a namespace: its objects. With a volume: its files.",
      args: [
        name,
        {
          name: "PATH",
          description: "NAMESPACE, NAMESPACE/POD/VOLUME[/PATH] or NAMESPACE/pvc:CLAIM[/PATH]",
        },
      ],
      flags: [
        ...clusterFlags,
        { name: "limit", value: "N", description: "files of a page", default: "1000" },
        { name: "skip", value: "N", description: "files before the page", default: "0" },
        outputFlag("table", "json"),
      ],
      graceMs: moverGraceMs,
      examples: ["headway backup ls nightly", "headway backup ls nightly shop/web-0/data/uploads"],
      run: async (input, io, signal) => (await import("../backup/browse.ts")).listBackup(input, io, signal),
    },
    {
      name: "cat",
      summary: "print a file of a backed-up volume",
      args: [name, address],
      flags: [...clusterFlags],
      graceMs: moverGraceMs,
      examples: ["headway backup cat nightly shop/web-0/data/app.conf"],
      run: async (input, io, signal) => (await import("../backup/browse.ts")).printFile(input, io, signal),
    },
    {
      name: "find",
      summary: "tell in which backups a file is, and when it changed",
      description: "Judged by type, size and time of change, the oldest backup first.",
      args: [address],
      flags: [
        ...clusterFlags,
        { name: "limit", value: "N", description: "the newest backups to look into", default: "100" },
        outputFlag("table", "json"),
      ],
      graceMs: moverGraceMs,
      examples: ["headway backup find shop/web-0/data/app.conf"],
      run: async (input, io, signal) => (await import("../backup/browse.ts")).findPath(input, io, signal),
    },
    {
      name: "diff",
      summary: "tell what differs between two backups, or between a backup and what runs",
      description:
        "Objects field by field, without status and what servers write into metadata; values of Secrets are hidden. Volumes file by file.",
      args: [name, { name: "OTHER", description: "the newer backup, unless --live" }],
      flags: [
        ...clusterFlags,
        { name: "live", description: "compare the objects with those that run now" },
        { name: "objects-only", description: "do not compare the files of volumes" },
        listFlag("include-namespaces", "only these namespaces"),
        listFlag("include-resources", "only these resource types, and no volumes"),
        outputFlag("text", "json"),
      ],
      graceMs: moverGraceMs,
      examples: [
        "headway backup diff monday tuesday",
        "headway backup diff monday --live --include-namespaces shop",
      ],
      run: async (input, io, signal) => (await import("../backup/diff.ts")).diff(input, io, signal),
    },
    {
      name: "delete",
      summary: "delete backups with all they stored",
      args: [some],
      flags: [
        ...clusterFlags,
        { name: "selector", short: "l", value: "SELECTOR", description: "backups with these labels" },
        { name: "all", description: "all backups" },
        { name: "confirm", description: "do it without asking" },
      ],
      run: async (input, io, signal) =>
        (await import("../backup/delete.ts")).deleteBackups(input, io, signal),
    },
    {
      name: "cancel",
      summary: "stop a backup that waits or runs",
      description: "Stops a backup: it ends as Failed, and nothing of it stays in the storage location.",
      args: [name],
      flags: [...clusterFlags],
      run: async (input, io, signal) => (await import("../backup/delete.ts")).cancelBackup(input, io, signal),
    },
  ],
};
