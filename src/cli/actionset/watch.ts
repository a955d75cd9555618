import { kinds } from "../../api/index.ts";
import { resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";

/** Shows an ActionSet until it has ended; the exit code tells how. */
export async function watchActionSet(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const [name = ""] = input.args;
  // A name that is wrong must not be waited for.
  const namespace = await withCluster(input, io, async (cluster) => {
    const { client, namespace: here } = cluster;
    await client.get(resourceOf(kinds.ActionSet), name, { namespace: here }, signal);
    return here;
  });
  const { runWatch } = await import("../watch/run.ts");
  const { kubeconfig, context } = input.flags;
  const flags = { kubeconfig, context, namespace, wait: true };
  return runWatch({ args: [`actionset/${namespace}/${name}`], flags }, io, signal);
}
