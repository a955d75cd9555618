import { type Command, clusterFlags, type Flag, makeFlags, outputFlag } from "../command.ts";

const some = { name: "NAME", description: "names of locations", repeat: true, required: true } as const;
const name = { name: "NAME", description: "the location's name", required: true } as const;

const settings: readonly Flag[] = [
  { name: "credential", value: "SECRET=KEY", description: "Secret with the credentials, and its key" },
  { name: "cacert", value: "FILE", description: "certificates to trust" },
  { name: "default", description: "use it for backups that name no location" },
];

export const location: Command = {
  name: "location",
  summary: "say where backups are stored",
  aliases: ["locations", "backup-location"],
  commands: [
    {
      name: "create",
      summary: "add a location",
      args: [name],
      flags: [
        ...clusterFlags,
        { name: "provider", value: "NAME", description: "aws or filesystem", required: true },
        {
          name: "bucket",
          value: "NAME",
          description: "bucket; of provider filesystem the folder below config path (default: backups)",
        },
        { name: "prefix", value: "PATH", description: "folder inside the bucket" },
        { name: "config", value: "LIST", description: "settings of the provider, key=value", repeat: true },
        {
          name: "access-mode",
          value: "MODE",
          description: "whether new backups may be written",
          choices: ["ReadWrite", "ReadOnly"],
        },
        {
          name: "backup-sync-period",
          value: "DURATION",
          description: "how often the bucket is searched for backups",
        },
        { name: "validation-frequency", value: "DURATION", description: "how often the location is checked" },
        ...settings,
        ...makeFlags,
      ],
      examples: [
        "headway location create default --provider filesystem --config path=/mnt/backups --default",
        "headway location create s3 --provider aws --bucket b --config region=eu-west-1 --credential cloud=cloud",
      ],
      run: async (input, io, signal) =>
        (await import("../location/run.ts")).createLocation(input, io, signal),
    },
    {
      name: "get",
      summary: "list locations",
      args: [{ name: "NAME", description: "names of locations (default: all)", repeat: true }],
      flags: [...clusterFlags, outputFlag("table", "wide", "json", "yaml", "name")],
      run: async (input, io, signal) => (await import("../location/run.ts")).getLocations(input, io, signal),
    },
    {
      name: "set",
      summary: "change a location",
      args: [name],
      flags: [...clusterFlags, ...settings],
      run: async (input, io, signal) => (await import("../location/run.ts")).setLocation(input, io, signal),
    },
    {
      name: "delete",
      summary:
        "remove locations, and the Backup and repository objects of each; what their stores hold stays",
      args: [some],
      flags: [...clusterFlags],
      run: async (input, io, signal) =>
        (await import("../location/run.ts")).deleteLocations(input, io, signal),
    },
    {
      name: "adopt",
      summary: "take the store that is there now, though it is not the one that the location had",
      args: [name],
      flags: [...clusterFlags],
      run: async (input, io, signal) => (await import("../location/run.ts")).adoptLocation(input, io, signal),
    },
    {
      name: "forget-missing",
      summary: "let Backup objects go whose files are gone from the store, however many",
      args: [name],
      flags: [...clusterFlags],
      run: async (input, io, signal) => (await import("../location/run.ts")).forgetMissing(input, io, signal),
    },
  ],
};
