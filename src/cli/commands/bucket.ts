import { type Command, clusterFlags, type Flag, outputFlag } from "../command.ts";

const where = {
  name: "BUCKET",
  description:
    "s3://BUCKET[/PREFIX], gs://…, azblob://…, a folder (with a slash in it), or the name of a location",
  required: true,
} as const;

/** What says where a bucket is and how it is opened; no password is needed to read lists. */
export const bucketFlags: readonly Flag[] = [
  {
    name: "config",
    value: "LIST",
    description: "settings of the provider as in a location, key=value",
    repeat: true,
  },
  {
    name: "credentials-file",
    value: "FILE",
    description: "credentials, as in the Secret of a location (default: environment, workload identity)",
  },
  { name: "cacert", value: "FILE", description: "certificates to trust" },
  ...clusterFlags,
];

const opening: readonly Flag[] = [
  ...bucketFlags,
  {
    name: "password-file",
    value: "FILE",
    description:
      "password of the repositories (also: HEADWAY_REPOSITORY_PASSWORD; of a location the Secret velero-repo-credentials)",
  },
  { name: "default-password", description: "use the password that Velero gives when nobody chose one" },
];

const exits = {
  0: "all is whole",
  1: "something is wrong",
  3: "the bucket (or, for a location, the cluster) cannot be reached or opened",
};

/** What lies in buckets, without any cluster. */
export const bucket: Command = {
  name: "bucket",
  summary: "check any Velero bucket, and convert copies of restic",
  commands: [
    {
      name: "check",
      summary: "say which backups are whole, who can restore them, and what is missing or useless",
      description:
        "Reads a bucket of Velero 1.9 or later, or of Headway. Archives are read to their end. With a password the repositories are opened, and every snapshot that a backup needs is looked for.",
      args: [where],
      flags: [
        ...opening,
        { name: "quick", description: "do not read archives and logs" },
        { name: "repair", description: "remove what is proven to be useless, after a plan and a question" },
        { name: "yes", description: "repair without asking" },
        outputFlag("json"),
      ],
      exits,
      graceMs: 15_000,
      examples: [
        "headway bucket check s3://backups/cluster-1 --config region=eu-west-1 --default-password",
        "headway bucket check /mnt/backups -o json",
        "headway bucket check default --repair",
      ],
      run: async (input, io, signal) => (await import("../bucket/check.ts")).runCheck(input, io, signal),
    },
    {
      name: "convert",
      summary: "copy what restic holds of backups to kopia, as Velero lays it out",
      description:
        "For each volume that restic copied: reads it, writes it to kopia's repository of the namespace, reads it back and compares every file. When all volumes of a backup are the same its lists are replaced, and the originals are kept beside them. A conversion that was ended goes on where it was. Needs root, restic, kopia, and room for the largest volume twice.",
      args: [
        where,
        { name: "BACKUP", description: "only these backups (default: all that restic copied)", repeat: true },
      ],
      flags: [
        ...opening,
        {
          name: "scratch",
          value: "DIR",
          description: "folder with room for the largest volume, twice (default: TMPDIR)",
        },
        { name: "dry-run", description: "say what would be converted, or removed" },
        {
          name: "remove-restic",
          description:
            "then remove restic's snapshots and repositories that nobody needs, after a plan and a question",
        },
        { name: "yes", description: "remove without asking" },
        outputFlag("json"),
      ],
      exits: { ...exits, 0: "all is converted", 1: "a volume or a backup could not be converted" },
      graceMs: 15_000,
      examples: [
        "headway bucket convert s3://backups --default-password --dry-run",
        "headway bucket convert default nightly-20260101 --scratch /mnt/large",
      ],
      run: async (input, io, signal) => (await import("../bucket/convert.ts")).runConvert(input, io, signal),
    },
  ],
};
