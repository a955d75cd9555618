import { randomBytes } from "node:crypto";
import { openClusterView } from "../../observe/index.ts";
import { clusterAuthorizer, listen, tokenAuthorizer } from "../../server/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { logReader } from "./read-log.ts";

const noPage = "the page is not built here, so only the API is served; in a clone, `npm run page` builds it";

/** Serves what a cluster's operations look like until the person stops. */
export async function runServe(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const { client, namespace } = await openCluster(input, io);
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const { observer, run } = openClusterView({ client, serverNamespace: namespace });
  const token = given(input, "cluster-auth") ? undefined : randomBytes(24).toString("base64url");
  const authorizer = token === undefined ? clusterAuthorizer(client) : tokenAuthorizer(token);
  const watching: Promise<void>[] = [];
  try {
    // An unreachable cluster is told at once; later outages are waited out by the informers.
    await client.version(either);
    const address = text(input, "listen") ?? "127.0.0.1:8085";
    const readLog = logReader({ client, namespace });
    const cluster = { client, writes: !given(input, "read-only"), readLog };
    const server = await listen(
      { observer, authorizer, address, hosts: texts(input, "host"), cluster },
      either,
    );
    watching.push(run(either));
    // The URL is data: a script reads it. The token stands in the fragment, which a browser keeps to itself.
    io.out(`${server.url}/${token === undefined ? "" : `#token=${token}`}\n`);
    if (!server.hasPage) io.err(`${noPage}\n`);
    await server.closed;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stop.abort();
    await Promise.all(watching);
    client.close();
  }
}
