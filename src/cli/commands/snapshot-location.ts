import { type Command, clusterFlags, type Flag, makeFlags, outputFlag } from "../command.ts";

const name = { name: "NAME", description: "the location's name", required: true } as const;
const some = { name: "NAME", description: "names of locations", repeat: true, required: true } as const;
const settings: readonly Flag[] = [
  { name: "credential", value: "SECRET=KEY", description: "Secret with the credentials, and its key" },
  { name: "config", value: "LIST", description: "settings of the provider, key=value", repeat: true },
];

export const snapshotLocation: Command = {
  name: "snapshot-location",
  summary: "say where native volume snapshots are kept",
  aliases: ["snapshot-locations"],
  commands: [
    {
      name: "create",
      summary: "add a location",
      args: [name],
      flags: [
        ...clusterFlags,
        {
          name: "provider",
          value: "NAME",
          description: "the snapshotter plugin, such as aws or folder",
          required: true,
        },
        ...settings,
        ...makeFlags,
      ],
      examples: [
        "headway snapshot-location create folders --provider folder --config path=/srv/snapshots",
        "headway snapshot-location create aws --provider aws --config region=eu-west-1 --credential cloud=cloud",
      ],
      run: async (input, io, signal) =>
        (await import("../snapshot-location/run.ts")).createLocation(input, io, signal),
    },
    {
      name: "get",
      summary: "list locations",
      args: [{ name: "NAME", description: "names of locations (default: all)", repeat: true }],
      flags: [...clusterFlags, outputFlag("table", "wide", "json", "yaml", "name")],
      run: async (input, io, signal) =>
        (await import("../snapshot-location/run.ts")).getLocations(input, io, signal),
    },
    {
      name: "set",
      summary: "change a location",
      args: [name],
      flags: [...clusterFlags, ...settings],
      run: async (input, io, signal) =>
        (await import("../snapshot-location/run.ts")).setLocation(input, io, signal),
    },
    {
      name: "delete",
      summary: "remove locations from the cluster; snapshots stay",
      args: [some],
      flags: [...clusterFlags],
      run: async (input, io, signal) =>
        (await import("../snapshot-location/run.ts")).deleteLocations(input, io, signal),
    },
  ],
};
