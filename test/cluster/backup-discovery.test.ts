import { afterAll, beforeAll, expect, test } from "vitest";
import type { Resource } from "../../src/kube/index.ts";
import { BackupStage } from "../harness/backup-stage.ts";
import { eventually } from "../harness/eventually.ts";

// An API behind a service that is not there: only a real API server has such.
const services: Resource = {
  group: "apiregistration.k8s.io",
  version: "v1",
  plural: "apiservices",
  kind: "APIService",
  namespaced: false,
};
let stage: BackupStage;
let group: string;
let shop: string;
beforeAll(async () => {
  stage = await BackupStage.open();
  shop = await stage.app("undiscovered");
  await stage.configMaps(shop, 2);
  group = `broken-${stage.namespace.slice(-8)}.example.com`;
  await stage.client.create(services, {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: "v1",
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { name: "nobody", namespace: stage.namespace },
    },
  });
  await eventually(
    () => stage.client.discover(),
    ({ failed }) => failed.some(({ groupVersion }) => groupVersion === `${group}/v1`),
  );
  stage.operator();
});
afterAll(async () => {
  await stage.client.delete(services, `v1.${group}`);
  await stage.close();
});

test("an API group that cannot be discovered makes a backup partial, unless nothing of it can be meant", async () => {
  await stage.create("all-types", { includedNamespaces: [shop] });
  expect((await stage.ended("all-types")).status).toMatchObject({ phase: "PartiallyFailed" });
  expect(JSON.stringify(stage.json("all-types", "all-types-results.gz"))).toContain(
    `the API \\"${group}/v1\\" cannot be discovered`,
  );
  await stage.create("one-type", { includedNamespaces: [shop], includedResources: ["configmaps"] });
  expect((await stage.ended("one-type")).status).toMatchObject({ phase: "Completed" });
});
