import { type Command, clusterFlags } from "../command.ts";

export const debug: Command = {
  name: "debug",
  summary: "write a bundle with objects, logs and versions, without secrets",
  description:
    "Writes a tar.gz for whoever shall help: the objects of the server's namespace, its events, the logs of its pods and all versions. Secrets " +
    "are not in it; their values are masked wherever they appear, and so are fields whose names tell that they are secret.",
  flags: [
    ...clusterFlags,
    {
      name: "output",
      short: "o",
      value: "FILE",
      description: "where to (default: headway-debug-TIME.tar.gz)",
    },
    { name: "force", description: "overwrite a file that exists" },
  ],
  examples: ["headway debug", "headway debug -n velero -o /tmp/bundle.tar.gz"],
  async run(input, io, signal) {
    const { writeBundle } = await import("../debug/run.ts");
    await writeBundle(input, io, signal);
  },
};
