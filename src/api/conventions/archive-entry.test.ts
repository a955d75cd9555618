import fc from "fast-check";
import { expect, test } from "vitest";
import { type ArchiveEntry, archiveEntryName, parseArchiveEntry } from "./archive-entry.ts";

test.each<[string, ArchiveEntry]>([
  [
    "resources/pods/namespaces/shop/web-0.json",
    { group: "", resource: "pods", preferred: true, namespace: "shop", name: "web-0" },
  ],
  [
    "resources/deployments.apps/v1-preferredversion/namespaces/shop/web.json",
    {
      group: "apps",
      resource: "deployments",
      version: "v1",
      preferred: true,
      namespace: "shop",
      name: "web",
    },
  ],
  [
    "resources/clusterroles.rbac.authorization.k8s.io/cluster/system:node.json",
    { group: "rbac.authorization.k8s.io", resource: "clusterroles", preferred: true, name: "system:node" },
  ],
  [
    "resources/widgets.example.com/v1beta1/cluster/a.json.json",
    { group: "example.com", resource: "widgets", version: "v1beta1", preferred: false, name: "a.json" },
  ],
  [
    "resources/pods/namespaces/cluster/x.json",
    { group: "", resource: "pods", preferred: true, namespace: "cluster", name: "x" },
  ],
])("parseArchiveEntry() reads %s, and archiveEntryName() writes it", (path, entry) => {
  expect(parseArchiveEntry(path)).toEqual(entry);
  expect(archiveEntryName(entry)).toBe(path);
});

test.each([
  "",
  "metadata/version",
  "resources",
  "resources/pods/namespaces/shop",
  "resources/pods/namespaces/shop/",
  "resources/pods/namespaces/shop/.json",
  "resources/pods/namespaces/shop/..json",
  "resources/pods/namespaces/shop/...json",
  "resources/pods/namespaces/../x.json",
  "resources/pods/namespaces//x.json",
  "resources/pods/namespaces/a/b/x.json",
  "resources/pods/cluster/a/x.json",
  "resources/Pods/cluster/x.json",
  "resources/../cluster/x.json",
  "resources/pods//cluster/x.json",
  "resources/pods/v1/x.json",
  "resources/pods/-preferredversion/cluster/x.json",
  "resources/pods/namespaces/cluster/cluster/x.json",
  "resources/pods/cluster/x.txt",
  "resources/pods/cluster/x.json/",
  "/resources/pods/cluster/x.json",
  "./resources/pods/cluster/x.json",
  "resources/pods/cluster/a\u0000b.json",
  "resources/pods/cluster/a%2fb.json",
  `resources/pods/cluster/${"x".repeat(300)}.json`,
])("parseArchiveEntry() refuses %j", (path) => {
  expect(parseArchiveEntry(path)).toBeUndefined();
});

test("parseArchiveEntry() takes back whatever archiveEntryName() wrote", () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
  const entries = fc.record(
    {
      group: fc.oneof(
        fc.constant(""),
        fc.array(label, { minLength: 1, maxLength: 3 }).map((l) => l.join(".")),
      ),
      resource: label,
      version: fc.stringMatching(/^v[1-9](alpha1|beta2)?$/),
      namespace: label,
      name: fc.stringMatching(/^[A-Za-zé:@._ -]{1,40}$/).filter((n) => n !== "." && n !== ".."),
      preferred: fc.boolean(),
    },
    { requiredKeys: ["group", "resource", "version", "name", "preferred"] },
  );
  fc.assert(
    fc.property(entries, (entry) => {
      const clean = JSON.parse(JSON.stringify(entry));
      expect(parseArchiveEntry(archiveEntryName(clean))).toEqual(clean);
    }),
  );
});
