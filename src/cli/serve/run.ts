import { randomBytes } from "node:crypto";
import { backupNow, deleteRequest, upcoming } from "../../engines/backup/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import type { Client } from "../../kube/index.ts";
import { type ClusterView, openClusterView, united } from "../../observe/index.ts";
import { type ClusterPart, clusterAuthorizer, listen, tokenAuthorizer } from "../../server/index.ts";
import { type ChosenCluster, openCluster } from "../cluster.ts";
import { given, type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";

const noPage = "the page is not built here, so only the API is served; in a clone, `npm run page` builds it";

interface Served extends ChosenCluster {
  readonly name: string;
  readonly view: ClusterView;
}

/** Serves what the operations of a cluster, or of several, look like until the person stops. */
export async function runServe(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const served = await openAll(input, io);
  const [only] = served;
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const watching: Promise<void>[] = [];
  try {
    await greet(served, io, either);
    const byCluster = given(input, "cluster-auth");
    const token = byCluster ? undefined : randomBytes(24).toString("base64url");
    const parts = served.map(({ name, client }) => [name, partOf(client, input)] as const);
    const server = await listen(
      {
        observer: served.length === 1 && only ? only.view.observer : unitedView(served),
        // Without a token of one's own there is one cluster, and it decides.
        authorizer:
          token === undefined && only ? clusterAuthorizer(only.client) : tokenAuthorizer(token ?? ""),
        address: text(input, "listen") ?? "127.0.0.1:8085",
        hosts: texts(input, "host"),
        clusters: new Map(parts),
      },
      either,
    );
    watching.push(...served.map(({ view }) => view.run(either)));
    // The URL is data: a script reads it. The token stands in the fragment, which a browser keeps to itself.
    io.out(`${server.url}/${token === undefined ? "" : `#token=${token}`}\n`);
    if (!server.hasPage) io.err(`${noPage}\n`);
    await server.closed;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stop.abort();
    await Promise.all(watching);
    for (const { client } of served) client.close();
  }
}

/** The clusters that the flags name; a single one has no name among others. */
async function openAll(input: Input, io: Io): Promise<readonly Served[]> {
  const contexts = [...new Set(texts(input, "context"))];
  if (contexts.length > 1 && given(input, "cluster-auth")) {
    throw new AppError("USAGE", "--cluster-auth takes one --context: a token belongs to one cluster", {
      retry: false,
    });
  }
  const wanted = contexts.length > 0 ? contexts : [undefined];
  return Promise.all(
    wanted.map(async (context) => {
      const cluster = await openCluster(input, io, { context, isLasting: true });
      const { client, namespace } = cluster;
      const view = openClusterView({ client, serverNamespace: namespace });
      return { ...cluster, view, name: wanted.length > 1 ? (context ?? "") : "" };
    }),
  );
}

/** An unreachable cluster is told at once; of several the others go on. Later outages are waited out by the informers. */
async function greet(served: readonly Served[], io: Io, signal: AbortSignal): Promise<void> {
  const answers = await Promise.allSettled(served.map(({ client }) => client.version(signal)));
  const failures = answers.flatMap((answer, i) =>
    answer.status === "rejected" ? [{ name: served[i]?.name ?? "", reason: answer.reason as unknown }] : [],
  );
  if (failures.length === served.length) throw failures[0]?.reason;
  for (const { name, reason } of failures) {
    io.err(`cluster "${name}" cannot be reached: ${messageOf(reason)}\n`);
  }
}

function partOf(client: Client, input: Input): ClusterPart {
  return {
    client,
    writes: !given(input, "read-only"),
    backups: { upcoming, backupNow, deleteRequest },
    reach: (signal) => client.version(signal),
    planRestore: async (restore, token, signal) => {
      const { planner } = await import("../../operator/index.ts");
      return planner(client)(restore, token, signal);
    },
    ...(given(input, "cluster-auth") && { as: (token: string) => client.withToken(token) }),
  };
}

function unitedView(served: readonly Served[]) {
  return united(new Map(served.map(({ name, view }) => [name, view.observer])));
}
