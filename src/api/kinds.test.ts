import { expect, expectTypeOf, test } from "vitest";
import { crdOf } from "./crd.ts";
import { allKinds, apiVersionOf, findKind, type KindName, kinds, type ObjectByKind } from "./kinds.ts";
import type { KubeObject } from "./meta.ts";
import type { Schema } from "./schema.ts";
import type { Backup, backupPhases } from "./velero/backup.ts";
import type { PodVolumeBackup } from "./velero/podvolumebackup.ts";

test("the registry's keys are the names of its kinds", () => {
  expect(allKinds.map((kind) => kind.kind)).toEqual(Object.keys(kinds));
});

test("no two kinds share a name that kubectl accepts", () => {
  const names = allKinds.flatMap((kind) =>
    [kind.plural, kind.singular, ...kind.shortNames].map((name) => `${name}.${kind.group}`),
  );
  expect(new Set(names).size).toBe(names.length);
});

test("findKind() needs both the version and the kind to be right", () => {
  expect(findKind("velero.io/v1", "Backup")).toBe(kinds.Backup);
  expect(findKind("velero.io/v2alpha1", "DataUpload")).toBe(kinds.DataUpload);
  expect(findKind("velero.io/v1", "DataUpload")).toBeUndefined();
  expect(findKind("v1", "Pod")).toBeUndefined();
});

test("objects have the type that their schema describes", () => {
  expectTypeOf<Backup["apiVersion"]>().toEqualTypeOf<"velero.io/v1">();
  expectTypeOf<Backup["kind"]>().toEqualTypeOf<"Backup">();
  expectTypeOf<Backup>().toExtend<KubeObject>();
  expectTypeOf<ObjectByKind<"Backup">>().toEqualTypeOf<Backup>();
  expectTypeOf<NonNullable<PodVolumeBackup["spec"]>["node"]>().toEqualTypeOf<string>();
  expectTypeOf<NonNullable<Backup["status"]>["phase"]>().toEqualTypeOf<
    (typeof backupPhases)[number] | undefined
  >();
  expectTypeOf<object>().toExtend<NonNullable<ObjectByKind<"MigMigration">["status"]>>();
  expectTypeOf<object>().not.toExtend<NonNullable<ObjectByKind<"MigMigration">["spec"]>>();
  const made: Backup = {
    apiVersion: apiVersionOf(kinds.Backup),
    kind: "Backup",
    metadata: { name: "b", namespace: "velero" },
    spec: { includedNamespaces: null, ttl: "720h0m0s" },
    // @ts-expect-error a phase that does not exist
    status: { phase: "Done" },
  };
  expect(made.apiVersion).toBe("velero.io/v1");
});

test("only kinds whose upstream has it have a status subresource", () => {
  expect(allKinds.filter((kind) => kind.statusSubresource).map((kind) => kind.kind)).toEqual([]);
});

test.each(Object.keys(kinds) as KindName[])("the schema of %s is structural", (name) => {
  const faults: string[] = [];
  let seen = 0;
  const root = crdOf(kinds[name]).spec.versions[0].schema.openAPIV3Schema as Schema;
  walk(root, name, (schema, path) => {
    seen += 1;
    faults.push(...structuralFaults(schema).map((fault) => `${path}: ${fault}`));
  });
  expect(faults).toEqual([]);
  expect(seen).toBeGreaterThan(4);
});

test.each(Object.keys(kinds) as KindName[])("every column of %s points at a field of its schema", (name) => {
  const root = crdOf(kinds[name]).spec.versions[0].schema.openAPIV3Schema as Schema;
  for (const column of kinds[name].columns) {
    if (column.jsonPath.startsWith(".metadata.")) continue;
    let at: Schema | undefined = root;
    for (const key of column.jsonPath.slice(1).split(/\.(?![^[]*\])/)) {
      const [, name = "", filtered] = /^(\w+)(\[.*\])?$/.exec(key) ?? [];
      at = filtered ? at?.properties?.[name]?.items : at?.properties?.[name];
    }
    expect(at, `${column.name}: ${column.jsonPath}`).toBeDefined();
  }
});

/** The rules of the API server that our subset of schemas can break. */
function structuralFaults(schema: Schema): string[] {
  const faults: string[] = [];
  const free = schema["x-kubernetes-int-or-string"] || schema["x-kubernetes-preserve-unknown-fields"];
  if (!schema.type && !free) faults.push("has no type");
  if (schema.type && schema["x-kubernetes-int-or-string"]) faults.push("int-or-string has a type");
  if (schema.properties && schema.additionalProperties) faults.push("has both properties and free keys");
  if (schema.type === "array" && !schema.items) faults.push("list without items");
  if (schema.items && schema.type !== "array") faults.push("items without a list");
  if ((schema.properties || schema.additionalProperties) && schema.type !== "object") {
    faults.push("fields without an object");
  }
  for (const name of schema.required ?? []) {
    if (!schema.properties?.[name]) faults.push(`requires the unknown field ${name}`);
  }
  for (const one of schema.anyOf ?? []) {
    const typeIsAllowed = schema["x-kubernetes-int-or-string"] === true;
    if (!typeIsAllowed && one.type) faults.push("type inside anyOf");
  }
  return faults;
}

function walk(schema: Schema, path: string, visit: (schema: Schema, path: string) => void): void {
  visit(schema, path);
  for (const [name, inner] of Object.entries(schema.properties ?? {})) walk(inner, `${path}.${name}`, visit);
  if (schema.items) walk(schema.items, `${path}[]`, visit);
  if (schema.additionalProperties) walk(schema.additionalProperties, `${path}{}`, visit);
}
