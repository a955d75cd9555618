import { expect, test } from "vitest";
import { settle, TestClock } from "../../../test/harness/clock.ts";
import { type KubeObject, kinds, type PodVolumeRestore } from "../../api/index.ts";
import { Cache, type Client, type Page } from "../../kube/index.ts";
import { Copies } from "./copies.ts";

const label = ["velero.io/restore-uid", "u1"] as const;

function copy(name: string, phase: "InProgress" | "Completed", uid = "u1"): PodVolumeRestore {
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeRestore",
    metadata: { name, namespace: "velero", labels: { [label[0]]: uid } },
    status: { phase },
  };
}

/** A server whose watch says nothing: all that is known of it by watching is the first list. */
function lateCluster(first: readonly KubeObject[], now: readonly KubeObject[]) {
  const client = {
    async *pages() {
      yield { items: first, resourceVersion: "1" } as unknown as Page<KubeObject>;
    },
    async *watch(_resource: unknown, _query: unknown, signal?: AbortSignal) {
      await new Promise<void>((resolve) =>
        signal?.addEventListener("abort", () => resolve(), { once: true }),
      );
      yield* [];
    },
    list: async () => now,
  };
  return client as unknown as Client; // what Copies and the cache use of it
}

test("a copy that was made a moment ago is waited for, also when the shared watch does not know it yet", async () => {
  const client = lateCluster([copy("other", "InProgress", "u2")], [copy("fresh", "InProgress")]);
  const clock = new TestClock();
  const cache = new Cache({ client, clock });
  const stop = new AbortController();
  const watching = cache.view(kinds.PodVolumeRestore).run(stop.signal);
  const copies = new Copies<PodVolumeRestore>({
    client,
    clock,
    cache,
    kind: kinds.PodVolumeRestore,
    namespace: "velero",
    label,
    onChange: () => undefined,
    onError: () => undefined,
  });
  await copies.open(stop.signal);
  expect(copies.all().map(({ metadata }) => metadata.name)).toEqual(["fresh"]);
  let isOver = false;
  const waiting = copies
    .ended(
      () => true,
      60_000,
      async () => true,
      stop.signal,
    )
    .then(
      () => (isOver = true),
      () => undefined,
    );
  await settle();
  expect(isOver, "a restore must not end before its volumes").toBe(false);
  stop.abort();
  await clock.advance(20_000);
  await Promise.all([waiting, watching]);
});
