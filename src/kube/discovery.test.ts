import { expect, test } from "vitest";
import {
  type DiscoveredResource,
  findResource,
  groupVersions,
  readAggregated,
  readLegacy,
} from "./discovery.ts";

const aggregated = {
  kind: "APIGroupDiscoveryList",
  items: [
    {
      metadata: { name: "apps" },
      versions: [
        {
          version: "v1",
          resources: [
            {
              resource: "deployments",
              responseKind: { group: "", version: "", kind: "Deployment" },
              scope: "Namespaced",
              singularResource: "deployment",
              verbs: ["get", "list"],
              shortNames: ["deploy"],
              subresources: [{ subresource: "scale" }, { subresource: "status" }],
            },
            { resource: "pathonly", responseKind: null, scope: "Namespaced" },
          ],
        },
      ],
    },
    { metadata: { name: "metrics.k8s.io" }, versions: [{ version: "v1beta1", freshness: "Stale" }] },
  ],
};
const deployments = {
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  namespaced: true,
  singular: "deployment",
  verbs: ["get", "list"],
  shortNames: ["deploy"],
  categories: [],
  subresources: ["scale", "status"],
};

test("readAggregated() reads groups, and says which one the server could not ask", () => {
  expect(readAggregated(aggregated)).toEqual([
    { groupVersion: "apps/v1", resources: [deployments] },
    {
      groupVersion: "metrics.k8s.io/v1beta1",
      resources: [],
      failure: "the server could not ask the API behind it",
    },
  ]);
});

test("readLegacy() folds subresources into their resource", () => {
  const answer = {
    resources: [
      {
        name: "deployments",
        singularName: "deployment",
        kind: "Deployment",
        namespaced: true,
        verbs: ["get", "list"],
        shortNames: ["deploy"],
      },
      { name: "deployments/scale", kind: "Scale", namespaced: true },
      { name: "deployments/status", kind: "Deployment", namespaced: true },
    ],
  };
  expect(readLegacy(answer, "apps/v1")).toEqual([deployments]);
  expect(readLegacy({ resources: [{ name: "pods", kind: "Pod" }] }, "v1")).toMatchObject([
    { group: "", version: "v1", plural: "pods" },
  ]);
});

test("groupVersions() puts the preferred version of each group first", () => {
  expect(groupVersions({ kind: "APIVersions", versions: ["v1"] })).toEqual(["v1"]);
  const group = {
    preferredVersion: { groupVersion: "a/v1" },
    versions: [{ groupVersion: "a/v2beta1" }, { groupVersion: "a/v1" }],
  };
  expect(groupVersions({ kind: "APIGroupList", groups: [group] })).toEqual(["a/v1", "a/v2beta1"]);
});

test.each([
  ["deployments", "apps/v1"],
  ["deployment", "apps/v1"],
  ["Deployment", "apps/v1"],
  ["deploy", "apps/v1"],
  ["deployments.apps", "apps/v1"],
  ["deployments.v1beta1.apps", "apps/v1beta1"],
  ["deployments.extensions", undefined],
  ["dep", undefined],
])("findResource() of %j", (word, want) => {
  const all: DiscoveredResource[] = [
    { ...deployments, preferred: true },
    { ...deployments, version: "v1beta1", preferred: false },
  ];
  const found = findResource(all, word);
  expect(found && `${found.group}/${found.version}`).toBe(want);
});
