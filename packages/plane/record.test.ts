import { afterEach, beforeEach, expect, test } from "vitest";
import { Api } from "./api.ts";
import { expireEvents, record } from "./record.ts";
import { Store } from "./store.ts";

let api: Api;
let nowMs: number;

beforeEach(() => {
  nowMs = Date.parse("2026-01-02T03:04:05Z");
  api = new Api(new Store(":memory:"), () => nowMs);
  api.create(api.resource("namespaces"), "", {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name: "n" },
  });
});

afterEach(() => api.store.close());

const object = { kind: "Pod", apiVersion: "v1", metadata: { name: "p", namespace: "n", uid: "u" } };
const what = {
  type: "Normal",
  reason: "Started",
  message: "Started container c",
  component: "kubelet",
} as const;

test("record() counts what happens again on the event that is there", () => {
  record(api, object, what);
  nowMs += 5000;
  record(api, object, what);
  record(api, object, { ...what, message: "Started container d" });
  expect(api.readAll("events", "n").map((e) => [e["message"], e["count"], e["lastTimestamp"]])).toEqual(
    expect.arrayContaining([
      ["Started container c", 2, "2026-01-02T03:04:10Z"],
      ["Started container d", 1, "2026-01-02T03:04:10Z"],
    ]),
  );
});

test("record() says nothing where there is no namespace, or one that goes", () => {
  record(api, { ...object, metadata: { ...object.metadata, namespace: "absent" } }, what);
  api.delete(api.resource("namespaces"), "", "n");
  record(api, object, what);
  expect(api.readAll("events")).toEqual([]);
});

test("expireEvents() forgets events after an hour, counted from the last time", () => {
  record(api, object, what);
  record(api, object, { ...what, message: "again" });
  nowMs += 1800_000;
  record(api, object, { ...what, message: "again" });
  nowMs += 1900_000;
  expireEvents(api);
  expect(api.readAll("events").map((e) => e["message"])).toEqual(["again"]);
});
