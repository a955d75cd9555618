import { expect, test } from "vitest";
import { validateLocation } from "./layout.ts";
import {
  checkMarker,
  findMarker,
  hasMarker,
  knownMarker,
  type MarkedLocation,
  markerAnnotation,
  markerNote,
  writeMarker,
} from "./marker.ts";
import { MemoryStore } from "./memory.ts";

const spec = { provider: "aws", objectStorage: { bucket: "b" }, config: { region: "x", s3Url: "http://s" } };
const location = (annotations: Record<string, string> = {}, more: object = {}): MarkedLocation => ({
  metadata: { name: "default", annotations },
  spec: { ...spec, ...more },
});

test("a marker that was written is found, and the store is still one that upstream accepts", async () => {
  const store = new MemoryStore();
  expect(await findMarker(store)).toBeUndefined();
  const id = await writeMarker(store);
  expect([await findMarker(store), await hasMarker(store, id), await hasMarker(store, "other")]).toEqual([
    id,
    true,
    false,
  ]);
  await validateLocation(store);
});

test("findMarker() passes over what is none", async () => {
  const store = new MemoryStore();
  for (const key of ["metadata/revision", "metadata/headway-location-", "metadata/headway-location-A b"]) {
    await store.put(key, Buffer.from("x"));
  }
  await store.put("metadata/headway-location-deep/er", Buffer.from("x"));
  expect(await findMarker(store)).toBeUndefined();
});

test.each<[string, object, boolean]>([
  ["the same", {}, true],
  ["the provider's long name", { provider: "velero.io/aws" }, true],
  ["settings in another order", { config: { s3Url: "http://s", region: "x" } }, true],
  ["another bucket", { objectStorage: { bucket: "c" } }, false],
  ["a prefix", { objectStorage: { bucket: "b", prefix: "p" } }, false],
  ["another server", { config: { region: "x", s3Url: "http://t" } }, false],
])("knownMarker() after a change of the location: %s", (_name, change, isHere) => {
  const note = markerNote(location(), "one");
  expect(knownMarker(location({ [markerAnnotation]: note }, change))).toEqual({ id: "one", isHere });
});

test.each(["", " ", "../../x place", "UP place"])("knownMarker() takes %j for none", (note) => {
  expect(knownMarker(location({ [markerAnnotation]: note }))).toBeUndefined();
});

test("checkMarker() refuses a store without the marker that was known, with what to do", async () => {
  const store = new MemoryStore();
  const marked = location({ [markerAnnotation]: markerNote(location(), "one") });
  await expect(checkMarker(store, marked)).rejects.toMatchObject({
    code: "STORE_REPLACED",
    message: expect.stringContaining("headway location adopt default"),
  });
  await writeMarker(store);
  await expect(checkMarker(store, marked), "another marker is another store").rejects.toMatchObject({
    code: "STORE_REPLACED",
  });
  await store.put("metadata/headway-location-one", Buffer.from("x"));
  await checkMarker(store, marked);
});

test("checkMarker() lets a location pass that was never checked, or points elsewhere since", async () => {
  const store = new MemoryStore();
  await checkMarker(store, location());
  const before = markerNote(location({}, { objectStorage: { bucket: "c" } }), "one");
  await checkMarker(store, location({ [markerAnnotation]: before }));
  expect(await findMarker(store), "checking writes nothing").toBeUndefined();
});
