// delete: against the embedded server, and against the real one that KUBECONFIG names when HEADWAY_TEST_CLUSTER=1.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fresh, made, map, maps, merge, open, refused, shut, target } from "./conformance.ts";
import { type Body, until } from "./request.ts";

beforeAll(open);
afterAll(shut);

describe("delete", () => {
  test("answers with a Status that names the object", async () => {
    const { metadata } = await made(maps, map(fresh()));
    const { code, body } = await target.call("DELETE", `${maps}/${metadata.name}`);
    expect([code, body.status, body.details]).toEqual([
      200,
      "Success",
      { name: metadata.name, kind: "configmaps", uid: metadata.uid },
    ]);
    expect((await target.call("GET", `${maps}/${metadata.name}`)).code).toBe(404);
  });

  test("of what is not there", async () => {
    refused(await target.call("DELETE", `${maps}/absent`), 404, "NotFound", 'configmaps "absent" not found');
  });

  test.each<[string, Body, RegExp]>([
    ["uid", { uid: "x" }, /the UID in the precondition \(x\) does not match the UID in record/],
    [
      "version",
      { resourceVersion: "1" },
      /the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record/,
    ],
  ])("is refused when the %s is another", async (_name, preconditions, message) => {
    const { metadata } = await made(maps, map(fresh()));
    refused(
      await target.call("DELETE", `${maps}/${metadata.name}`, { preconditions }),
      409,
      "Conflict",
      message,
    );
  });

  test("a finalizer holds the object until it is taken away", async () => {
    const { metadata } = await made(maps, map(fresh(), {}));
    const path = `${maps}/${metadata.name}`;
    await target.call("PATCH", path, { metadata: { finalizers: ["example.com/hold"] } }, merge);
    const first = await target.call("DELETE", path);
    expect(first.body).toMatchObject({
      kind: "ConfigMap",
      metadata: { deletionGracePeriodSeconds: 0, finalizers: ["example.com/hold"] },
    });
    expect((await target.call("GET", path)).body.metadata.deletionTimestamp).toBeDefined();
    await target.call("PATCH", path, { metadata: { finalizers: null } }, merge);
    expect((await target.call("GET", path)).code).toBe(404);
  });

  test("a dry run deletes nothing", async () => {
    const { metadata } = await made(maps, map(fresh()));
    expect((await target.call("DELETE", `${maps}/${metadata.name}?dryRun=All`)).code).toBe(200);
    expect((await target.call("GET", `${maps}/${metadata.name}`)).code).toBe(200);
  });

  test("a collection goes by selector", async () => {
    for (const name of ["c1", "c2", "c3"])
      await made(maps, map(name, { metadata: { name, labels: { del: name === "c3" ? "no" : "yes" } } }));
    const { code, body } = await target.call("DELETE", `${maps}?labelSelector=del%3Dyes`);
    expect([code, body.kind, body.items.length]).toEqual([200, "ConfigMapList", 2]);
    expect((await target.call("GET", `${maps}/c3`)).code).toBe(200);
  });

  test("dependents follow their owner in the background", async () => {
    const owner = await made(maps, map(fresh()));
    const reference = {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: owner.metadata.name,
      uid: owner.metadata.uid,
    };
    const name = fresh();
    await made(maps, map(name, { metadata: { name, ownerReferences: [reference] } }));
    await target.call("DELETE", `${maps}/${owner.metadata.name}`, { propagationPolicy: "Background" });
    await until(
      () => target.call("GET", `${maps}/${name}`),
      ({ code }) => code === 404,
    );
  });

  test("dependents stay when they are orphaned", async () => {
    const owner = await made(maps, map(fresh()));
    const reference = {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: owner.metadata.name,
      uid: owner.metadata.uid,
    };
    const name = fresh();
    await made(maps, map(name, { metadata: { name, ownerReferences: [reference] } }));
    await target.call("DELETE", `${maps}/${owner.metadata.name}`, { propagationPolicy: "Orphan" });
    await until(
      () => target.call("GET", `${maps}/${owner.metadata.name}`),
      ({ code }) => code === 404,
    );
    expect((await target.call("GET", `${maps}/${name}`)).body.metadata.ownerReferences).toBeUndefined();
  });

  test("foreground: the owner waits for dependents that block it", async () => {
    const owner = await made(maps, map(fresh()));
    const reference = {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: owner.metadata.name,
      uid: owner.metadata.uid,
      blockOwnerDeletion: true,
    };
    const name = fresh();
    await made(
      maps,
      map(name, { metadata: { name, ownerReferences: [reference], finalizers: ["example.com/hold"] } }),
    );
    const { body } = await target.call("DELETE", `${maps}/${owner.metadata.name}`, {
      propagationPolicy: "Foreground",
    });
    expect(body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await until(
      () => target.call("GET", `${maps}/${name}`),
      (answer) => answer.body.metadata.deletionTimestamp !== undefined,
    );
    expect((await target.call("GET", `${maps}/${owner.metadata.name}`)).code).toBe(200);
    await target.call("PATCH", `${maps}/${name}`, { metadata: { finalizers: null } }, merge);
    await until(
      () => target.call("GET", `${maps}/${owner.metadata.name}`),
      ({ code }) => code === 404,
    );
  });
});
