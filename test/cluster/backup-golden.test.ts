import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { findResource, isAlreadyExists, type Resource } from "../../src/kube/index.ts";
import { BackupStage, core, tarNames } from "../harness/backup-stage.ts";
import { eventually } from "../harness/eventually.ts";

// What a real Velero 1.17 stored for app.yaml, recorded with the CLI's words and the bucket's keys. What differs on purpose is
// in docs/velero-differences.md and named here.
const golden = join(import.meta.dirname, "../fixtures/velero-1.17");
const read = (file: string) => readFileSync(join(golden, file), "utf8");
const json = (file: string): unknown => JSON.parse(read(file));

let stage: BackupStage;
beforeAll(async () => {
  stage = await BackupStage.open();
  await apply();
  stage.operator();
  await stage.create("golden", { includedNamespaces: ["golden"] });
  expect((await stage.ended("golden")).status?.phase).toBe("Completed");
});
afterAll(async () => {
  if (!stage) return;
  for (const [plural, kind, name] of cleanup)
    await stage.client.delete(rbac(plural, kind), name).catch(() => undefined);
  await stage.client.delete(core("namespaces", "Namespace", false), "golden").catch(() => undefined);
  await stage.close();
});
const cleanup = [
  ["clusterroles", "ClusterRole", "golden-nodes"],
  ["clusterrolebindings", "ClusterRoleBinding", "golden-shop-nodes"],
] as const;
const rbac = (plural: string, kind: string): Resource => ({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural,
  kind,
  namespaced: false,
});

test("the tarball has the same entries", () => {
  const ours = tarNames(stage.read("golden", "golden.tar.gz")).map(plain);
  const theirs = read("tarball-listing.txt").trim().split("\n").map(plain);
  expect([...new Set(ours)].toSorted()).toEqual([...new Set(theirs)].toSorted());
});

test("the bucket has the same keys, but for the CSI file that later releases no longer write", () => {
  const theirs = [...read("object-keys.txt").matchAll(/backups\/golden\/(\S+)/g)].map(([, key]) => key ?? "");
  expect(stage.upstreamFiles("golden")).toEqual(theirs.filter((key) => !key.includes("-csi-")).toSorted());
});

test("the stored Backup has the same fields", () => {
  const parts = (value: unknown) => {
    const { kind, apiVersion, spec, status } = value as Record<string, unknown>;
    return { kind, apiVersion, spec, status: paths(status) };
  };
  expect(parts(stage.json("golden", "velero-backup.json"))).toEqual(parts(json("stored-velero-backup.json")));
});

test("the resource list and the results are the same", () => {
  const list = (value: unknown) =>
    [
      ...new Set(
        JSON.stringify(value, null, 1)
          .split("\n")
          .map((line) => plain(line.replace(/,$/, ""))),
      ),
    ].toSorted();
  expect(list(stage.json("golden", "golden-resource-list.json.gz"))).toEqual(
    list(json("stored-resource-list.json")),
  );
  expect(stage.json("golden", "golden-results.gz")).toEqual(json("stored-results.json"));
  expect(stage.json("golden", "golden-itemoperations.json.gz")).toEqual(json("stored-itemoperations.json"));
});

/** Generated parts of names become a letter; events come and go. */
function plain(text: string): string {
  return text
    .replace(/(golden\/shop)-[a-z0-9]+-[a-z0-9]{5}(\.json|"|$)/, "$1-POD$2")
    .replace(/(golden\/shop)-[a-z0-9]+(\.json|"|$)/, "$1-X$2")
    .replace(/(events\/.*golden\/).*/, "$1EVENT")
    .replace(/"golden\/shop[^"]*\.[0-9a-f]{16}"/, '"EVENT"');
}

/** Which fields there are, without what they say. */
function paths(value: unknown, at = ""): string[] {
  if (typeof value !== "object" || value === null) return [at];
  return Object.entries(value)
    .flatMap(([key, one]) => paths(one, `${at}.${key}`))
    .toSorted();
}

async function apply(): Promise<void> {
  const { resources } = await stage.client.discover();
  // Volumes need a node and an agent; what they store is compared where they are tested. Here nothing asks for them.
  const text = read("app.yaml").replace(
    "annotations: {backup.velero.io/backup-volumes: data}",
    "annotations: {}",
  );
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as { apiVersion: string; kind: string; metadata: { namespace?: string } };
    const group = object.apiVersion.includes("/") ? `.${object.apiVersion.split("/")[0]}` : "";
    const resource = findResource(resources, `${object.kind}${group}`);
    if (!resource) throw new Error(`the cluster has no ${object.kind}`);
    await stage.client.create(resource, object).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  const count = async (plural: string, group = "") =>
    (
      await stage.client.list(
        { group, version: "v1", plural, kind: "", namespaced: true },
        { namespace: "golden" },
      )
    ).length;
  await eventually(
    () => count("pods"),
    (found) => found > 0,
  );
  await eventually(
    () => count("endpointslices", "discovery.k8s.io"),
    (found) => found > 0,
  );
  await eventually(
    () => count("endpoints"),
    (found) => found > 0,
  );
  await eventually(
    () => count("events"),
    (found) => found > 0,
  );
}
