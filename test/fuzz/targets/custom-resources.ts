import {
  allKinds,
  type KubeObject,
  type OperationObject,
  readOperation,
  writeOperation,
} from "../../../src/api/index.ts";
import {
  idOf,
  type RootName,
  type RootObject,
  readRoot,
  readVolume,
  rootKinds,
  rootStateOf,
  samenessOf,
  type VolumeObject,
  volumeKinds,
  writeStatus,
} from "../../../src/kinds/index.ts";
import { OperationStore } from "../../../src/observe/operation-store.ts";
import { lawFaults } from "../../../src/progress/conformance.ts";
import { measure, type Operation } from "../../../src/progress/index.ts";
import type { Json } from "../json.ts";
import { anObject, stored } from "../schema.ts";
import { BrokenLaw, target } from "../target.ts";

const named = (name: string) => allKinds.find(({ kind }) => kind === name);
const readable = [...rootKinds, ...volumeKinds, ...volumeKinds, "Operation"].flatMap(
  (name) => named(name) ?? [],
);
const start = 1_800_000_000_000;

/** A life of a few objects: what a watch tells of them, one after the other. */
export const customResources = target<readonly Json[]>({
  name: "custom-resources",
  covers:
    "objects as an API server stores them: the readers of every kind, the store of operations, the laws of progress, the status that is written",
  make(random) {
    const kinds = [random.of(readable), random.of(readable)];
    return Array.from({ length: 1 + random.size(5) }, () => anObject(random, random.of(kinds)));
  },
  run(given) {
    const objects = given.flatMap((one) => stored(one) ?? []);
    if (objects.length === 0) return false;
    const store = new OperationStore({ causes: () => [] });
    // What an Operation says is believed as its author wrote it: the laws are the author's.
    const isFolded = objects.every(({ kind }) => kind !== "Operation");
    let before: Operation | undefined;
    for (const [at, object] of objects.entries()) {
      const now = start + at * 1000;
      for (const id of take(store, object, now)) {
        const operation = store.refresh(id, now);
        if (!operation) continue;
        use(operation, now);
        const faults = isFolded
          ? lawFaults(before?.id === operation.id ? before : undefined, operation, now)
          : [];
        if (faults.length > 0) throw new BrokenLaw(faults[0]);
        before = operation;
      }
    }
    return undefined;
  },
});

function take(store: OperationStore, object: KubeObject, now: number): string[] {
  if (object.kind === "Operation") {
    readOperation(object as OperationObject);
    return [store.setStored(object as OperationObject, true, now)].flatMap((id) => id ?? []);
  }
  if ((rootKinds as readonly string[]).includes(object.kind)) {
    const root = object as RootObject;
    readRoot(root, []);
    rootStateOf(root);
    samenessOf(root);
    return [store.setRoot(root)];
  }
  const volume = object as VolumeObject;
  readVolume(volume);
  idOf(volume);
  return [store.setVolume(volume, true)].flatMap((id) => id ?? []);
}

function use(operation: Operation, now: number): void {
  measure(undefined, operation, now);
  const actions = operation.children.map(({ title, children }) => ({
    name: title,
    phases: children.map((phase) => ({ name: phase.title })),
  }));
  writeStatus(
    operation.ref.kind as RootName,
    operation,
    {},
    { percent: "decimal", at: now, error: "", actions },
  );
  JSON.stringify(writeOperation(operation));
}
