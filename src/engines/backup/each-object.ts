import type { Kind, KubeObject } from "../../api/index.ts";
import { Controller, type Outcome } from "../../kube/index.ts";
import type { BackupDeps } from "./deps.ts";

/** Looks at each object of a kind whenever it changes, and again when the last look asked for it. */
export async function eachObject<T extends KubeObject>(
  deps: Pick<BackupDeps, "cache" | "namespace" | "log" | "clock">,
  kind: Kind,
  look: (object: T, all: readonly T[], signal: AbortSignal) => Promise<Outcome>,
  signal: AbortSignal,
): Promise<void> {
  const view = deps.cache.view<T>(kind, {
    namespace: deps.namespace,
    onChange: (key) => controller.add(key),
    onError: (error) => deps.log("warning", `cannot watch ${kind.plural}`, { error }),
  });
  const controller = new Controller({
    clock: deps.clock,
    workers: 2,
    reconcile: async (key, inner) => {
      await view.synced(inner);
      const object = view.get(key);
      if (!object) return undefined;
      return look(object, [...view.objects()], inner);
    },
    onError: (key, error) => deps.log("warning", `${kind.kind} "${key}" is tried again`, { error }),
  });
  await Promise.all([view.run(signal), controller.run(signal)]);
}
