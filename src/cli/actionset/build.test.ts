import { expect, test } from "vitest";
import type { ActionSet } from "../../api/index.ts";
import { buildActionSet, readFlags } from "./build.ts";

const random = () => "abcde";
const flags = (given: Readonly<Record<string, string | readonly string[]>>) =>
  readFlags({ args: [], flags: given }, "kanister");
const build = (given: Readonly<Record<string, string | readonly string[]>>, parent?: ActionSet) =>
  buildActionSet(flags(given), parent, random);

const parent: ActionSet = {
  apiVersion: "cr.kanister.io/v1alpha1",
  kind: "ActionSet",
  metadata: { name: "backup-x" },
  spec: {
    actions: [
      {
        profile: { name: "p", namespace: "n" },
        options: { a: "1", b: "1" },
        secrets: { s: { name: "x", namespace: "y" } },
      },
    ],
  },
  status: {
    state: "complete",
    actions: [
      {
        name: "backup",
        blueprint: "bp",
        object: { kind: "statefulset", name: "db", namespace: "shop" },
        artifacts: { dump: { keyValue: { path: "/x" } } },
      },
    ],
  },
};

test("one action per object, all with the same settings", () => {
  const set = build({
    action: "backup",
    blueprint: "bp",
    deployment: ["shop/web"],
    pvc: ["shop/data"],
    namespacetargets: ["shop"],
    objects: ["v1/configmaps/shop/cm", "apps/v1/daemonsets/shop/ds"],
    options: ["a=1", "b="],
    secrets: ["db=shop/secret"],
    "config-maps": ["c=shop/map"],
    profile: "s3",
    labels: ["x=y"],
    podlabels: ["l=m"],
  });
  expect(set.metadata).toEqual({ name: "backup-abcde", namespace: "kanister", labels: { x: "y" } });
  expect(set.spec?.actions?.map(({ object }) => object)).toEqual([
    { kind: "deployment", namespace: "shop", name: "web" },
    { kind: "pvc", namespace: "shop", name: "data" },
    { kind: "namespace", namespace: "shop", name: "shop" },
    { group: "", apiVersion: "v1", resource: "configmaps", namespace: "shop", name: "cm" },
    { group: "apps", apiVersion: "v1", resource: "daemonsets", namespace: "shop", name: "ds" },
  ]);
  expect(set.spec?.actions?.[1]).toMatchObject({
    name: "backup",
    blueprint: "bp",
    options: { a: "1", b: "" },
    secrets: { db: { namespace: "shop", name: "secret" } },
    configMaps: { c: { namespace: "shop", name: "map" } },
    profile: { name: "s3", namespace: "kanister" },
    podLabels: { l: "m" },
  });
});

test("--from takes object, blueprint and artifacts of the parent; flags win", () => {
  const set = build({ action: "restore", from: "backup-x", options: ["b=2"] }, parent);
  expect(set.metadata.name).toBe("restore-backup-x-abcde");
  expect(set.spec?.actions).toEqual([
    {
      name: "restore",
      blueprint: "bp",
      object: { kind: "statefulset", name: "db", namespace: "shop" },
      artifacts: { dump: { keyValue: { path: "/x" } } },
      profile: { name: "p", namespace: "n" },
      options: { a: "1", b: "2" },
      secrets: { s: { name: "x", namespace: "y" } },
    },
  ]);
  expect(build({ from: "backup-x" }, parent).metadata.name).toBe("backup-x-abcde");
});

test.each<[string, Readonly<Record<string, string | readonly string[]>>, string]>([
  ["no action", { blueprint: "b", pvc: ["a/b"] }, "--action is needed"],
  ["no blueprint", { action: "a", pvc: ["a/b"] }, "--blueprint is needed"],
  ["no object", { action: "a", blueprint: "b" }, "no object to act on"],
  ["half a place", { pvc: ["data"] }, "NAMESPACE/NAME"],
  ["an odd object", { objects: ["a/b"] }, "GROUP/VERSION"],
  ["two signs", { options: ["a=b=c"] }, "KEY=VALUE"],
  ["a stray comma", { labels: ["a=b", ""] }, "KEY=VALUE"],
  ["an odd reference", { secrets: ["a=b"] }, "NAMESPACE/NAME"],
])("%s is wrong use", (_what, given, words) => {
  expect(() => build(given)).toThrow(
    expect.objectContaining({ code: "USAGE", message: expect.stringContaining(words) }),
  );
});

test("only a complete ActionSet can be gone on from", () => {
  expect(() => build({ action: "restore" }, { ...parent, status: { state: "running" } })).toThrow(
    "is running",
  );
});
