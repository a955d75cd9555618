import { type Command, clusterFlags } from "../command.ts";

export const serve: Command = {
  name: "serve",
  summary: "serve operations, their changes and metrics over HTTP",
  description:
    "Watches a cluster and serves what it sees, until Ctrl-C: /api/operations, /api/stream (server-sent events), /metrics, " +
    "/healthz and /readyz. It only reads the cluster. The URL that it prints holds the token that opens it; with " +
    "--cluster-auth the cluster decides whose tokens are good and who may read operations.headway.dev.",
  flags: [
    ...clusterFlags,
    { name: "listen", value: "HOST:PORT", description: "where to listen", default: "127.0.0.1:8085" },
    {
      name: "host",
      value: "NAME",
      description: "host name to answer to besides localhost; * for any",
      repeat: true,
    },
    { name: "cluster-auth", description: "take the tokens of the cluster instead of one of its own" },
  ],
  examples: ["headway serve", "headway serve --listen 127.0.0.1:0"],
  async run(input, io, signal) {
    const { runServe } = await import("../serve/run.ts");
    await runServe(input, io, signal);
  },
};
