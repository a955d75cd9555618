import { type Command, clusterFlags, outputFlag } from "../command.ts";

export const get: Command = {
  name: "get",
  summary: "list things",
  commands: [
    {
      name: "operations",
      aliases: ["operation", "op"],
      summary: "list everything that runs or ran",
      flags: [
        ...clusterFlags.filter((flag) => flag.name !== "namespace"),
        { name: "namespace", short: "n", value: "NAME", description: "only this namespace (default: all)" },
        { name: "state", value: "STATE", description: "only these states", repeat: true },
        outputFlag("json", "yaml", "wide", "name"),
      ],
      examples: ["headway get operations", "headway get op --state running,pending -o wide"],
      async run(input, io, signal) {
        const { getOperations } = await import("../watch/get-operations.ts");
        await getOperations(input, io, signal);
      },
    },
  ],
};
