import { type Command, outputFlag } from "../command.ts";
import { bucketFlags } from "./bucket.ts";

/** How long it takes until everything is back. */
export const recovery: Command = {
  name: "recovery",
  summary: "tell how long restoring everything would take",
  commands: [
    {
      name: "plan",
      summary:
        "tell in which order everything comes back, how long that takes, and what would make it shorter",
      description:
        "Takes the newest good backup of each schedule and of each set of namespaces, and plays their restores onto an empty cluster: objects one backup after the other, volumes side by side. What restores, backups and drills taught lies beside the backups in the bucket, so no cluster is needed. Where nothing is known it says what it assumes.",
      args: [
        {
          name: "BUCKET",
          description:
            "s3://BUCKET[/PREFIX], gs://…, azblob://…, a folder (with a slash in it), or the name of a location (default: the location default)",
        },
      ],
      flags: [
        { name: "nodes", value: "N", description: "nodes that volumes are restored on", default: "1" },
        { name: "concurrency", value: "N", description: "volumes at a time on each node", default: "2" },
        {
          name: "bandwidth",
          value: "BYTES",
          description: "bytes a second of the link to the bucket, such as 100Mi (default: not limited)",
        },
        ...bucketFlags,
        outputFlag("json"),
      ],
      exits: {
        0: "everything can be restored",
        1: "something cannot be restored, or not from its newest backup",
        3: "the bucket (or, for a location, the cluster) cannot be reached or opened",
      },
      examples: [
        "headway recovery plan",
        "headway recovery plan s3://backups/cluster-1 --config region=eu-west-1 --nodes 3 --concurrency 4",
        "headway recovery plan /mnt/backups --bandwidth 100Mi -o json",
      ],
      run: async (input, io, signal) =>
        (await import("../recovery/plan.ts")).runRecoveryPlan(input, io, signal),
    },
  ],
};
