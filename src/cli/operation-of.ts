import { kinds, type OperationObject, readOperation } from "../api/index.ts";
import { resourceOf } from "../kube/index.ts";
import type { Operation } from "../progress/index.ts";
import type { ChosenCluster } from "./cluster.ts";

/** The operation that the operator publishes for an object; none when it is another server's. */
export async function operationOf(
  { client, namespace }: ChosenCluster,
  uid: string | undefined,
  signal: AbortSignal,
): Promise<Operation | undefined> {
  try {
    const all = await client.list<OperationObject>(resourceOf(kinds.Operation), { namespace }, signal);
    const mine = all.find(({ status }) => status?.ref.uid === uid);
    return mine && readOperation(mine);
  } catch {
    signal.throwIfAborted();
    return undefined; // a cluster without our kind, or without the right to read it: the rest is worth printing
  }
}
