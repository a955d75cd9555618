import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  isRecord,
  type JsonOperation,
  PatchError,
  sameJson,
} from "../../../src/api/index.ts";
import { anyJson, depthOf, hostileText, type Json, mutateJson } from "../json.ts";
import type { Random } from "../random.ts";
import * as samples from "../samples.ts";
import { target } from "../target.ts";

const pod = samples.items["resources/pods/namespaces/shop/db-0.json"] ?? null;
const paths = [
  "/spec/containers/0/image",
  "/spec/containers/-",
  "/metadata/annotations/a~1b~0c",
  "",
  "/",
  "/spec/containers/01",
  "/spec/containers/99",
  "/__proto__/x",
  "/spec/volumes/1e0",
];
const strategic: Json = {
  metadata: { labels: { a: null } },
  spec: {
    containers: [
      { name: "db", image: "x" },
      { $patch: "delete", name: "init" },
    ],
    "$setElementOrder/containers": [{ name: "db" }],
    $retainKeys: ["containers"],
    "$deleteFromPrimitiveList/finalizers": ["a"],
  },
};

export const patches = target<{
  readonly object: Json;
  readonly operations: readonly Json[];
  readonly patch: Json;
}>({
  name: "patches",
  covers: "JSON, merge and strategic merge patches",
  make: (random) => ({
    object: random.oneIn(2) ? pod : mutateJson(random, pod),
    operations: Array.from({ length: 1 + random.size(4) }, () => anOperation(random)),
    patch: random.oneIn(3) ? anyJson(random) : mutateJson(random, random.oneIn(2) ? strategic : pod),
  }),
  run({ object, operations, patch }) {
    // Whoever reads patches and objects refuses deeper ones; what walks them may recurse.
    if (Math.max(depthOf(object), depthOf(patch), depthOf(operations)) > 512) return false;
    sameJson(object, patch);
    applyMergePatch(object, patch);
    if (isRecord(object) && isRecord(patch)) tolerant(() => applyStrategicPatch(object, patch));
    applyJsonPatch(object, operations as unknown as readonly JsonOperation[]); // texts under the keys that count, as made above
    return undefined;
  },
  refusals: [PatchError],
});

function tolerant(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
  }
}

function anOperation(random: Random): Json {
  const path = () => (random.oneIn(3) ? `/${hostileText(random)}` : random.of(paths));
  return {
    op: random.of(["add", "remove", "replace", "move", "copy", "test", "x"]),
    path: path(),
    from: path(),
    value: anyJson(random),
  };
}
