import { type Command, clusterFlags, outputFlag } from "../command.ts";
import { verb } from "../verbs.ts";

/** Written out: the words of operations would cost every start. */
const states = [
  "pending",
  "running",
  "stalled",
  "completed",
  "partially-failed",
  "failed",
  "canceled",
  "skipped",
];

/** `headway get`: operations, and all that the other commands can list. */
export function get(nouns: readonly Command[]): Command {
  return verb("get", "list things", nouns, [
    {
      name: "operations",
      aliases: ["operation", "op"],
      summary: "list everything that runs or ran",
      flags: [
        ...clusterFlags.filter((flag) => flag.name !== "namespace"),
        { name: "namespace", short: "n", value: "NAME", description: "only this namespace (default: all)" },
        { name: "state", value: "STATE", description: "only these states", repeat: true, choices: states },
        outputFlag("json", "yaml", "wide", "name"),
      ],
      examples: ["headway get operations", "headway get op --state running,pending -o wide"],
      async run(input, io, signal) {
        const { getOperations } = await import("../watch/get-operations.ts");
        await getOperations(input, io, signal);
      },
    },
  ]);
}
