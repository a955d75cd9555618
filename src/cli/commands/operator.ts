import { type Command, clusterFlags } from "../command.ts";

export const operator: Command = {
  name: "operator",
  lasting: true,
  summary: "run the controllers",
  description:
    "Runs the controllers against a cluster until it is told to stop. What was under way goes on at the next start.",
  flags: [
    ...clusterFlags,
    { name: "controllers", value: "LIST", description: "controllers to run (default: all)", repeat: true },
    { name: "temp-dir", value: "DIR", description: "where tarballs are spooled (default: the system's)" },
    {
      name: "listen",
      value: "HOST:PORT",
      description:
        "where operations and metrics are served (default: 127.0.0.1:8085, or nowhere when that is taken)",
    },
    {
      name: "host",
      value: "NAME",
      description: "host name to answer to besides localhost; * for any",
      repeat: true,
    },
    { name: "no-serve", description: "serve nothing" },
    { name: "no-leader-election", description: "work at once, without the lease that keeps operators apart" },
    {
      name: "download-address",
      value: "HOST:PORT",
      description: "where files of file system locations are served",
      default: "127.0.0.1:0",
    },
    { name: "download-url", value: "URL", description: "how the outside reaches that address" },
    { name: "concurrent-backups", value: "N", description: "backups at a time", default: "1" },
    {
      name: "default-backup-ttl",
      value: "DURATION",
      description: "how long backups are kept",
      default: "720h",
    },
    {
      name: "default-backup-storage-location",
      value: "NAME",
      description: "location for backups that name none when no location is marked as the default",
      default: "default",
    },
    {
      name: "default-volume-snapshot-locations",
      value: "PROVIDER:NAME",
      description: "snapshot location for backups that name none, of a provider that has several",
      repeat: true,
    },
    {
      name: "default-volumes-to-fs-backup",
      description: "copy the files of all pod volumes unless a backup says otherwise",
    },
    {
      name: "restore-resource-priorities",
      value: "LIST",
      description: 'types that restores begin with, in order; after a "-" those that they end with',
    },
    {
      name: "restore-rights",
      value: "MODE",
      description:
        "with whose rights restores are done: nobody's (none), a service account's (account), the operator's own (cluster)",
      choices: ["none", "account", "cluster"],
      default: "cluster",
    },
    {
      name: "restore-account",
      value: "NAME",
      description: "the service account of Restores that name none",
      default: "headway-restore",
    },
    {
      name: "uploader-type",
      value: "NAME",
      description: "the mover that copies pod volumes",
      choices: ["kopia", "restic"],
      default: "kopia",
    },
    {
      name: "fs-backup-timeout",
      value: "DURATION",
      description: "a volume of which nothing moves for so long is given up",
      default: "1h",
    },
    {
      name: "backup-repository-configmap",
      value: "NAME",
      description: "ConfigMap with the config of new repositories: cacheLimitMB, fullMaintenanceInterval",
    },
    {
      name: "repo-maintenance-job-configmap",
      value: "NAME",
      description:
        "ConfigMap with the settings of upstream's maintenance Jobs; maintenance runs in the operator, and the log names each setting that has no effect",
    },
    {
      name: "plugin-dir",
      value: "DIR",
      description: "folder with plugin programs and modules",
      default: "/plugins",
    },
    {
      name: "plugin",
      value: "MODULE",
      description: "a plugin module, by path or package name",
      repeat: true,
    },
    {
      name: "plugin-calls",
      value: "N",
      description: "calls to the item actions of one plugin at a time",
      default: "8",
    },
    {
      name: "actionset-percent",
      value: "FORMAT",
      description: "percents in ActionSets: 43.33, or 43 for programs that read whole numbers",
      choices: ["decimal", "integer"],
      default: "decimal",
    },
    {
      name: "webhook-certs",
      value: "DIR",
      description:
        "folder with tls.crt and tls.key: serves the admission webhook of Blueprints and ActionSets as soon as they are there",
    },
    {
      name: "webhook-listen",
      value: "HOST:PORT",
      description: "where the webhook is served",
      default: "0.0.0.0:9443",
    },
    {
      name: "restore-helper-image",
      value: "IMAGE",
      description:
        "image with a shell for the container that holds restored pods back (default: HEADWAY_IMAGE)",
    },
    {
      name: "stage-image",
      value: "IMAGE",
      description:
        "image with a sleep command for the pods that hold volumes during a migration (default: HEADWAY_IMAGE)",
    },
  ],
  examples: ["headway operator --namespace velero", "headway operator --controllers backup,schedule"],
  async run(input, io, signal) {
    const { runOperator } = await import("../operator/run.ts");
    await runOperator(input, io, signal);
  },
};
