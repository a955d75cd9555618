// watch: against the embedded server, and against the real one that KUBECONFIG names when HEADWAY_TEST_CLUSTER=1.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { made, maps, merge, open, shut, target } from "./conformance.ts";
import { type Body } from "./request.ts";

beforeAll(open);
afterAll(shut);

describe("watch", () => {
  const type = (events: Body[]): string[] => events.map((e) => e.type);
  const query = (label: string, more = ""): string => `${maps}?watch=1&labelSelector=w%3D${label}${more}`;
  const labelled = (name: string, w: string, data = "1"): Body => ({
    metadata: { name, labels: { w } },
    data: { a: data },
  });

  test("tells what is added, modified and deleted after a version", async () => {
    const { metadata } = (await target.call("GET", maps)).body;
    const events = target.watch(
      query("one", `&resourceVersion=${metadata.resourceVersion}`),
      (e) => e.length === 3,
    );
    await made(maps, labelled("w1", "one"));
    await target.call("PATCH", `${maps}/w1`, { data: { a: "2" } }, merge);
    await target.call("DELETE", `${maps}/w1`);
    expect(type(await events)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
    const [added, modified, deleted] = await events;
    expect(added.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", metadata: { name: "w1" } });
    const versions = [added, modified, deleted].map((e) => Number(e.object.metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
  });

  test("replays history from a version", async () => {
    const { metadata } = await made(maps, labelled("w2", "two"));
    await target.call("PATCH", `${maps}/w2`, { data: { a: "2" } }, merge);
    const events = await target.watch(
      query("two", `&resourceVersion=${metadata.resourceVersion}`),
      (e) => e.length === 1,
    );
    expect(events[0]).toMatchObject({ type: "MODIFIED", object: { data: { a: "2" } } });
  });

  test.each(["", "&resourceVersion=0"])("without history (%s) begins with what is there", async (more) => {
    await target.call("POST", maps, labelled("w3", "three"));
    const events = await target.watch(query("three", more), (e) => e.length === 1);
    expect(events[0]).toMatchObject({ type: "ADDED", object: { metadata: { name: "w3" } } });
  });

  test("an object that begins or stops to match is added or deleted", async () => {
    const { metadata } = await made(maps, labelled("w4", "other"));
    const events = target.watch(
      query("four", `&resourceVersion=${metadata.resourceVersion}`),
      (e) => e.length === 2,
    );
    await target.call("PATCH", `${maps}/w4`, { metadata: { labels: { w: "four" } } }, merge);
    await target.call("PATCH", `${maps}/w4`, { metadata: { labels: { w: "other" } } }, merge);
    expect(type(await events)).toEqual(["ADDED", "DELETED"]);
  });

  test("ends after timeoutSeconds", async () => {
    expect(await target.watch(query("none", "&timeoutSeconds=1"), () => false)).toEqual([]);
  });

  test("by field selector sees one object", async () => {
    const { metadata } = await made(maps, labelled("w5", "five"));
    const path = `${maps}?watch=1&fieldSelector=metadata.name%3Dw5&resourceVersion=${metadata.resourceVersion}`;
    const events = target.watch(path, (e) => e.length === 1);
    await made(maps, labelled("w6", "five"));
    await target.call("DELETE", `${maps}/w5`);
    expect((await events)[0]).toMatchObject({ type: "DELETED", object: { metadata: { name: "w5" } } });
  });

  test("as a Table, one row each", async () => {
    await target.call("POST", maps, labelled("w7", "seven"));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const [event] = await target.watch(query("seven"), (e) => e.length === 1, { accept });
    expect([event.object.kind, event.object.rows.length, event.object.rows[0].cells[0]]).toEqual([
      "Table",
      1,
      "w7",
    ]);
  });

  test("after compaction says 410", async () => {
    if (!target.plane) return; // a real cluster compacts when it wants to
    const { metadata } = await made(maps, labelled("w8", "eight"));
    await target.call("DELETE", `${maps}/w8`);
    target.plane.compact();
    const [event] = await target.watch(
      query("eight", `&resourceVersion=${metadata.resourceVersion}`),
      (e) => e.length === 1,
    );
    expect(event).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } });
  });

  test("initial events end with a bookmark", async () => {
    if (!target.plane) return; // needs a feature of etcd that this cluster's build lacks
    await target.call("POST", maps, labelled("w9", "nine"));
    const more = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const events = await target.watch(query("nine", more), (e) => e.length === 2);
    expect(type(events)).toEqual(["ADDED", "BOOKMARK"]);
    expect(events[1].object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
  });
});
