import { expect, test } from "vitest";
import type { MigCluster } from "../../api/index.ts";
import type { Client } from "../../kube/index.ts";
import { lookAtCluster } from "./cluster-controller.ts";
import { Clusters } from "./clusters.ts";

const { signal } = new AbortController();
const host: MigCluster = {
  apiVersion: "migration.openshift.io/v1alpha1",
  kind: "MigCluster",
  metadata: { name: "host", namespace: "velero" },
  spec: { isHostCluster: true },
};

/** A cluster that allows some verbs on everything. */
function clusters(...allowed: string[]): Clusters {
  const client = {
    version: async () => ({ gitVersion: "v1.34.0" }),
    create: async (_resource: unknown, review: { spec: { resourceAttributes: { verb: string } } }) => ({
      status: { allowed: allowed.includes(review.spec.resourceAttributes.verb) },
    }),
  };
  return new Clusters({ client: client as unknown as Client, namespace: "velero" });
}

test("lookAtCluster() finds the host ready when the operator may write everything there", async () => {
  const { wanted } = await lookAtCluster(clusters("list", "create", "patch", "delete"), host, 0, signal);
  expect(wanted.map(({ type }) => type)).toEqual(["Ready"]);
});

test("lookAtCluster() says how to give the operator the rights of migrations", async () => {
  const { wanted } = await lookAtCluster(clusters("list"), host, 0, signal);
  expect(wanted).toMatchObject([
    {
      type: "SaTokenNotPrivileged",
      category: "Critical",
      message:
        "the operator may not create, patch, delete every kind of object here; `headway install --migration-rights=cluster` gives it these rights",
    },
  ]);
});
