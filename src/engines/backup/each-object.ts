import type { Kind, KubeObject } from "../../api/index.ts";
import { Controller, Informer, type Outcome, resourceOf } from "../../kube/index.ts";
import type { BackupDeps } from "./deps.ts";

/** Looks at each object of a kind whenever it changes, and again when the last look asked for it. */
export async function eachObject<T extends KubeObject>(
  deps: Pick<BackupDeps, "client" | "namespace" | "log" | "clock">,
  kind: Kind,
  look: (object: T, all: readonly T[], signal: AbortSignal) => Promise<Outcome>,
  signal: AbortSignal,
): Promise<void> {
  const informer: Informer<T, T> = new Informer<T, T>({
    client: deps.client,
    resource: resourceOf(kind),
    query: { namespace: deps.namespace },
    project: (object) => object,
    onChange: (key) => controller.add(key),
    onError: (error) => deps.log("warning", `cannot watch ${kind.plural}`, { error }),
  });
  const controller = new Controller({
    clock: deps.clock,
    workers: 2,
    reconcile: async (key, inner) => {
      await informer.synced(inner);
      const object = informer.get(key);
      if (!object) return undefined;
      return look(
        object,
        [...informer.entries()].map(([, one]) => one),
        inner,
      );
    },
    onError: (key, error) => deps.log("warning", `${kind.kind} "${key}" is tried again`, { error }),
  });
  await Promise.all([informer.run(signal), controller.run(signal)]);
}
