import { type Command, clusterFlags, type Flag } from "../command.ts";

const place: readonly Flag[] = [
  { name: "bucket", short: "b", value: "NAME", description: "bucket or container", required: true },
  {
    name: "endpoint",
    short: "e",
    value: "URL",
    description: "address of the store; for filesystem the folder above the bucket",
  },
  { name: "prefix", short: "p", value: "PATH", description: "folder inside the bucket" },
  { name: "region", short: "r", value: "NAME", description: "region" },
  { name: "skip-SSL-verification", description: "do not check the store's certificate" },
];
const keys: readonly Flag[] = [
  {
    name: "access-key",
    short: "a",
    value: "ID",
    description: "s3compliant: access key (default: AWS_ACCESS_KEY_ID)",
  },
  {
    name: "secret-key",
    short: "s",
    value: "KEY",
    description:
      "s3compliant: secret key (default: AWS_SECRET_ACCESS_KEY, which other users of this machine cannot see)",
  },
  { name: "project-id", value: "ID", description: "gcp: project" },
  { name: "service-key", value: "FILE", description: "gcp: file with the service account's key" },
  {
    name: "storage-account",
    value: "NAME",
    description: "azure: storage account (default: AZURE_STORAGE_ACCOUNT)",
  },
  { name: "storage-key", value: "KEY", description: "azure: storage key (default: AZURE_STORAGE_KEY)" },
];

export const profile: Command = {
  name: "profile",
  summary: "make and check profiles: where actions store data",
  aliases: ["profiles"],
  commands: [
    {
      name: "create",
      summary: "make a profile and the Secret that it needs",
      args: [
        { name: "TYPE", description: "s3compliant, gcp, azure or filesystem", required: true },
        { name: "NAME", description: "the profile's name (default: from the type and chance)" },
      ],
      flags: [
        ...clusterFlags,
        ...place,
        ...keys,
        {
          name: "mover",
          value: "NAME",
          description: "what keeps the data (default: what the repository was made with, else kopia)",
          choices: ["kopia", "restic"],
        },
        { name: "skip-validation", description: "do not try whether the store can be written" },
        {
          name: "dry-run",
          value: "MODE",
          description: "print the objects, without secrets, and create nothing",
          choices: ["none", "client"],
          alone: "client",
        },
      ],
      examples: [
        "AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… headway profile create s3compliant -b backups -r eu-west-1",
        "headway profile create filesystem local -b actions -e /var/backups",
      ],
      async run(input, io, signal) {
        const { createProfile } = await import("../profile/create.ts");
        await createProfile(input, io, signal);
      },
    },
    {
      name: "validate",
      summary: "check profiles: their fields, their Secrets, and that the store can be read and written",
      args: [{ name: "NAME", description: "names of profiles", required: true, repeat: true }],
      flags: [...clusterFlags, { name: "schema-validation-only", description: "check the fields alone" }],
      exits: { 1: "a check failed" },
      async run(input, io, signal) {
        const { validateProfiles } = await import("../profile/validate.ts");
        return validateProfiles(input, io, signal);
      },
    },
  ],
};
