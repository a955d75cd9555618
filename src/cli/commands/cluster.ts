import { type Command, clusterFlags, makeFlags, outputFlag } from "../command.ts";

export const cluster: Command = {
  name: "cluster",
  summary: "make clusters known to migrations",
  aliases: ["clusters"],
  commands: [
    {
      name: "create",
      summary: "make a cluster known",
      description:
        "With --from-kubeconfig an account with all rights is made on that cluster, and its token is kept in a Secret here.",
      args: [{ name: "NAME", description: "what to call it", required: true }],
      flags: [
        ...clusterFlags,
        { name: "host", description: "it is the cluster that the migrations' own objects are on" },
        { name: "from-kubeconfig", value: "FILE", description: "take it from this kubeconfig" },
        { name: "from-context", value: "NAME", description: "and this context of it" },
        { name: "url", value: "URL", description: "address of its API server" },
        { name: "token-file", value: "FILE", description: "token of an account there with all rights" },
        { name: "ca-file", value: "FILE", description: "certificates to trust" },
        { name: "insecure", description: "do not check the server's certificate" },
        {
          name: "server-namespace",
          value: "NAME",
          description: "namespace of the backup server there (default: the same as here)",
        },
        ...makeFlags,
      ],
      examples: [
        "headway cluster create green --host",
        "headway cluster create blue --from-kubeconfig ~/.kube/config --from-context blue",
      ],
      async run(input, io, signal) {
        const { createCluster } = await import("../cluster/run.ts");
        await createCluster(input, io, signal);
      },
    },
    {
      name: "get",
      summary: "list clusters",
      args: [{ name: "NAME", description: "names of clusters (default: all)", repeat: true }],
      flags: [...clusterFlags, outputFlag("table", "wide", "json", "yaml", "name")],
      async run(input, io, signal) {
        const { getClusters } = await import("../cluster/run.ts");
        await getClusters(input, io, signal);
      },
    },
    {
      name: "renew",
      summary: "give a cluster a new token",
      description: "Tokens of clusters last a year at most; `cluster get` tells when one has ended.",
      args: [{ name: "NAME", description: "the cluster's name", required: true }],
      flags: [
        ...clusterFlags,
        { name: "from-kubeconfig", value: "FILE", description: "ask for a token with this kubeconfig" },
        { name: "from-context", value: "NAME", description: "and this context of it" },
        { name: "token-file", value: "FILE", description: "take this token" },
      ],
      examples: ["headway cluster renew blue --from-kubeconfig blue.kubeconfig"],
      async run(input, io, signal) {
        const { renewCluster } = await import("../cluster/run.ts");
        await renewCluster(input, io, signal);
      },
    },
  ],
};
