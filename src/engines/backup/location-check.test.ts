import { expect, test } from "vitest";
import type { Backup, BackupStorageLocation } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { findMarker, MemoryStore, markerAnnotation, type OpenHow, type Store } from "../../store/index.ts";
import type { BackupDeps } from "./deps.ts";
import { checkLocation } from "./location-check.ts";

const signal = new AbortController().signal;

function location(annotations: Record<string, string> = {}, spec: object = {}): BackupStorageLocation {
  return {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", annotations },
    spec: { provider: "filesystem", objectStorage: { bucket: "b" }, config: { path: "/mnt" }, ...spec },
  } as BackupStorageLocation;
}

/** A store that is there or not, and a cluster with this many ended Backups of the location. */
function world(store: Store | undefined, backups = 0) {
  const opened: (OpenHow | undefined)[] = [];
  const made = new MemoryStore();
  const ended = { metadata: { name: "x" }, status: { phase: "Completed" } } as Backup;
  const deps = {
    client: { list: async () => Array.from({ length: backups }, () => ended) },
    namespace: "velero",
    openStore: async (_location: BackupStorageLocation, _signal: AbortSignal, how?: OpenHow) => {
      opened.push(how);
      if (store) return store;
      if (how === "new") return made;
      throw new AppError("STORE_MISSING", "it is not there");
    },
  } as unknown as BackupDeps; // what checking a location uses of it
  return { deps, opened, made };
}

test("checkLocation() makes and marks the bucket of a first use, and finds it as it was afterwards", async () => {
  const { deps, opened, made } = world(undefined);
  const { annotations } = await checkLocation(deps, location(), signal);
  expect(opened).toEqual(["unchecked", "new"]);
  const note = annotations[markerAnnotation] ?? "";
  expect(note.split(" ")[0]).toBe(await findMarker(made));
  const known = location({ [markerAnnotation]: note });
  expect(await checkLocation(world(made).deps, known, signal)).toEqual({ annotations: {} });
});

test.each<[string, BackupStorageLocation, number]>([
  ["one of which there are backups", location(), 2],
  ["one that may only be read", location({}, { accessMode: "ReadOnly" }), 0],
])("checkLocation() never makes the bucket of %s", async (_name, given, backups) => {
  const { deps, opened } = world(undefined, backups);
  await expect(checkLocation(deps, given, signal)).rejects.toMatchObject({ code: "STORE_MISSING" });
  expect(opened).toEqual(["unchecked"]);
});

test("checkLocation() refuses an empty store for backups that the cluster has, and writes nothing to it", async () => {
  const store = new MemoryStore();
  await expect(checkLocation(world(store, 2).deps, location(), signal)).rejects.toMatchObject({
    code: "STORE_REPLACED",
    message: expect.stringContaining("holds no backups, but 2 of this cluster are in location"),
  });
  expect(await findMarker(store)).toBeUndefined();
  const adopted = location({ "headway.dev/adopt-store": "true" });
  const { annotations } = await checkLocation(world(store, 2).deps, adopted, signal);
  expect(annotations["headway.dev/adopt-store"], "the word counts once").toBeNull();
});

test("checkLocation() uses a store that takes no marker, and says what that means", async () => {
  const store = new MemoryStore();
  store.put = () => Promise.reject(new AppError("STORE_DENIED", "the file system is read-only"));
  const { annotations, remark } = await checkLocation(world(store).deps, location(), signal);
  expect(annotations).toEqual({});
  expect(remark).toContain("would not be noticed: the file system is read-only");
});
