import { type Command, clusterFlags, outputFlag } from "../command.ts";

export const repo: Command = {
  name: "repo",
  summary: "repositories with the data of pod volumes",
  commands: [
    {
      name: "get",
      summary: "list the repositories",
      args: [{ name: "name", description: "only these", repeat: true }],
      flags: [...clusterFlags, outputFlag("json", "yaml", "wide", "name")],
      examples: ["headway repo get", "headway repo get shop-default-kopia -o yaml"],
      async run(input, io, signal) {
        const { getRepositories } = await import("../repo/get.ts");
        await getRepositories(input, io, signal);
      },
    },
  ],
};
