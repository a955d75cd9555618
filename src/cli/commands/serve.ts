import { type Command, clusterFlags } from "../command.ts";

const several = "context of the kubeconfig; given more than once, all those clusters are shown in one list";

export const serve: Command = {
  name: "serve",
  lasting: true,
  summary: "serve the page, operations, their changes and metrics over HTTP",
  description:
    "Watches a cluster and serves what it sees, until Ctrl-C: the page, /api/operations, /api/stream (server-sent events), /metrics, " +
    "/healthz and /readyz. The address that it prints opens the page; its fragment holds the token, which requests carry as a bearer " +
    "token. The page can start and cancel operations with the rights of this kubeconfig; --read-only takes that away. With " +
    "--cluster-auth the cluster decides whose tokens are good, who may read operations.headway.dev and who may start and cancel.",
  flags: [
    ...clusterFlags.map((flag) =>
      flag.name === "context" ? { ...flag, description: several, repeat: true } : flag,
    ),
    { name: "listen", value: "HOST:PORT", description: "where to listen", default: "127.0.0.1:8085" },
    {
      name: "host",
      value: "NAME",
      description: "host name to answer to besides localhost; * for any",
      repeat: true,
    },
    { name: "read-only", description: "start and cancel nothing" },
    { name: "cluster-auth", description: "take the tokens of the cluster instead of one of its own" },
  ],
  examples: [
    "headway serve",
    "headway serve --context blue --context green",
    "headway serve --listen 127.0.0.1:0",
  ],
  async run(input, io, signal) {
    const { runServe } = await import("../serve/run.ts");
    await runServe(input, io, signal);
  },
};
