// namespaces, accounts, reviews: against the embedded server, and against the real one that KUBECONFIG names when HEADWAY_TEST_CLUSTER=1.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apps, core, fresh, made, map, merge, ns, open, refused, shut, target } from "./conformance.ts";
import { until } from "./request.ts";

beforeAll(open);
afterAll(shut);

describe("namespaces, accounts, reviews", () => {
  test("a namespace gets an account and a certificate, and is emptied before it goes", async () => {
    const name = `${ns}-x`;
    const object = await made("/api/v1/namespaces", { metadata: { name } });
    expect(object).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
    await until(
      () => target.call("GET", `/api/v1/namespaces/${name}/serviceaccounts/default`),
      ({ code }) => code === 200,
    );
    await until(
      () => target.call("GET", `/api/v1/namespaces/${name}/configmaps/kube-root-ca.crt`),
      ({ code }) => code === 200,
    );
    const held = { name: "held", finalizers: ["example.com/hold"] };
    await made(`/api/v1/namespaces/${name}/configmaps`, { metadata: held });
    const deleted = await target.call("DELETE", `/api/v1/namespaces/${name}`);
    expect(deleted.body).toMatchObject({ kind: "Namespace", status: { phase: "Terminating" } });
    const refusal = await target.call("POST", `/api/v1/namespaces/${name}/configmaps`, map("x"));
    refused(refusal, 403, "Forbidden", /because it is being terminated$/);
    await until(
      () => target.call("GET", `/api/v1/namespaces/${name}/configmaps/held`),
      ({ body }) => body.metadata.deletionTimestamp !== undefined,
    );
    await target.call(
      "PATCH",
      `/api/v1/namespaces/${name}/configmaps/held`,
      { metadata: { finalizers: null } },
      merge,
    );
    await until(
      () => target.call("GET", `/api/v1/namespaces/${name}`),
      ({ code }) => code === 404,
    );
  });

  test("an account gets a token", async () => {
    const path = `${core}/serviceaccounts/default/token`;
    const body = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 3600 },
    };
    const answer = await target.call("POST", path, body);
    expect([answer.code, answer.body.kind]).toEqual([201, "TokenRequest"]);
    const review = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token: answer.body.status.token },
    };
    const known = await target.call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review);
    expect(known.body.status).toMatchObject({
      authenticated: true,
      user: { username: `system:serviceaccount:${ns}:default` },
    });
  });

  test("a token that nobody issued is not known", async () => {
    const review = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token: "nonsense" },
    };
    const { body } = await target.call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review);
    expect(body.status.authenticated).toBeUndefined();
  });

  test("the administrator may do everything", async () => {
    const spec = { resourceAttributes: { verb: "delete", resource: "nodes" } };
    const body = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec };
    const { body: answer } = await target.call(
      "POST",
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      body,
    );
    expect(answer.status.allowed).toBe(true);
  });

  test("an Event is the same in both groups", async () => {
    const name = fresh();
    const involvedObject = { kind: "ConfigMap", namespace: ns, name: "x" };
    await made(`${core}/events`, {
      metadata: { name },
      involvedObject,
      reason: "Tested",
      message: "words",
      type: "Normal",
    });
    const { body } = await target.call("GET", `/apis/events.k8s.io/v1/namespaces/${ns}/events/${name}`);
    expect(body).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      reason: "Tested",
      note: "words",
      regarding: { name: "x" },
    });
  });

  test("a Deployment is scaled through its subresource", async () => {
    const template = {
      metadata: { labels: { s: "c" } },
      spec: { containers: [{ name: "c", image: "x:1", command: ["true"] }] },
    };
    await made(`${apps}/deployments`, {
      metadata: { name: "scaled" },
      spec: { replicas: 0, paused: true, selector: { matchLabels: { s: "c" } }, template },
    });
    const put = await target.call(
      "PATCH",
      `${apps}/deployments/scaled/scale`,
      { spec: { replicas: 3 } },
      merge,
    );
    expect(put.body).toMatchObject({ kind: "Scale", spec: { replicas: 3 }, status: { selector: "s=c" } });
    expect((await target.call("GET", `${apps}/deployments/scaled`)).body.spec.replicas).toBe(3);
    await target.call("DELETE", `${apps}/deployments/scaled`);
  });

  test("a ReplicaSet takes in the pod that its selector fits and makes no other", async () => {
    const labels = { adopted: "yes" };
    const spec = { containers: [{ name: "c", image: "x:1", command: ["sleep", "60"] }] };
    // A scheduler that does not exist: the pod stays pending, on a real node too.
    const waiting = { ...spec, schedulerName: "nobody" };
    await made(`${core}/pods`, { metadata: { name: "orphan", labels }, spec: waiting });
    const set = await made(`${apps}/replicasets`, {
      metadata: { name: "adopter" },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: waiting },
      },
    });
    await until(
      () => target.call("GET", `${apps}/replicasets/adopter`),
      ({ body }) => body.status.replicas === 1,
    );
    const { body } = await target.call("GET", `${core}/pods?labelSelector=adopted%3Dyes`);
    expect(body.items).toHaveLength(1);
    expect(body.items[0].metadata).toMatchObject({
      name: "orphan",
      ownerReferences: [{ kind: "ReplicaSet", name: "adopter", uid: set.metadata.uid, controller: true }],
    });
    await target.call("DELETE", `${apps}/replicasets/adopter`);
  });
});
