import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import type { RootObject } from "../kinds/index.ts";
import type { EventWord, Filter } from "./config.ts";
import { namespacesOf, wants } from "./filter.ts";

const all: Filter = { events: [], kinds: [], namespaces: [], outcomes: [] };

test.each<[string, Partial<Filter>, EventWord, readonly string[], boolean]>([
  ["everything", {}, "started", ["velero"], true],
  ["an event", { events: ["failed"] }, "failed", [], true],
  ["another event", { events: ["failed"] }, "started", [], false],
  ["a kind in small letters", { kinds: ["backup"] }, "started", [], true],
  ["another kind", { kinds: ["Restore"] }, "started", [], false],
  ["a namespace", { namespaces: ["shop"] }, "started", ["velero", "shop"], true],
  ["a pattern", { namespaces: ["team-*"] }, "started", ["team-a"], true],
  ["a pattern with a dot", { namespaces: ["t.*"] }, "started", ["tea"], false],
  ["another namespace", { namespaces: ["shop"] }, "started", ["velero", "shop-2"], false],
  ["what is about all", { namespaces: ["shop"] }, "started", ["velero", "*"], true],
  ["an outcome", { outcomes: ["failed"] }, "failed", [], true],
  ["another outcome", { outcomes: ["completed"] }, "failed", [], false],
  ["no outcome yet", { outcomes: ["completed"] }, "stalled", [], true],
])("wants(): %s", (_name, filter, event, about, want) => {
  const state = event === "failed" ? "failed" : "running";
  expect(wants({ ...all, ...filter }, event, anOperation("a", { state }), about)).toBe(want);
});

test.each<[string, object, readonly string[]]>([
  ["a backup of some", { kind: "Backup", spec: { includedNamespaces: ["a", "b"] } }, ["velero", "a", "b"]],
  ["a backup of all", { kind: "Backup", spec: {} }, ["velero", "*"]],
  [
    "actions",
    { kind: "ActionSet", spec: { actions: [{ object: { namespace: "db" } }, {}] } },
    ["velero", "db"],
  ],
  ["a migration", { kind: "MigMigration" }, ["velero"]],
])("namespacesOf() %s", (_name, object, want) => {
  expect(namespacesOf({ metadata: { namespace: "velero", name: "x" }, ...object } as RootObject)).toEqual(
    want,
  );
});
