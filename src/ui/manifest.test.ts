import { expect, test } from "vitest";
import type { Io } from "../cli/io.ts";
import { parse } from "../cli/parse.ts";
import { root } from "../cli/table.ts";
import { newDraft, recipes } from "./manifest.ts";

const io: Io = { out: () => {}, err: () => {}, env: {}, terminal: undefined, color: false };
const at = new Date("2026-11-15T10:20:30Z");

test("a backup's draft becomes an object, and a command for the same", () => {
  const draft = {
    ...newDraft("backup", at),
    namespace: "velero",
    location: "default",
    namespaces: ["shop", "blog"],
  };
  expect(recipes.backup.manifest(draft)).toEqual({
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: "backup-20261115102030", namespace: "velero" },
    spec: {
      includedNamespaces: ["shop", "blog"],
      storageLocation: "default",
      defaultVolumesToFsBackup: true,
      ttl: "720h",
    },
  });
  expect(recipes.backup.command(draft)).toBe(
    "headway backup create backup-20261115102030 --include-namespaces=shop,blog --storage-location=default --default-volumes-to-fs-backup=true --ttl=720h --namespace=velero",
  );
  expect(recipes.backup.faults(draft)).toEqual([]);
});

test("a restore's draft, likewise", () => {
  const draft = { ...newDraft("restore", at), namespace: "velero", backup: "nightly", update: true };
  expect(recipes.restore.manifest(draft)).toMatchObject({
    kind: "Restore",
    spec: { backupName: "nightly", existingResourcePolicy: "update" },
  });
  expect(recipes.restore.command(draft)).toContain("--from-backup=nightly --existing-resource-policy=update");
});

test("an action and a migration become what Kanister and MTC take", () => {
  const action = {
    ...newDraft("action", at),
    namespace: "kanister",
    blueprint: "mysql",
    action: "backup",
    objectKind: "StatefulSet",
    objectNamespace: "shop",
    objectName: "db",
    profile: "kanister/s3",
  } as const;
  expect(recipes.action.manifest(action)).toMatchObject({
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "ActionSet",
    spec: {
      actions: [
        {
          name: "backup",
          blueprint: "mysql",
          object: { kind: "statefulset", namespace: "shop", name: "db" },
          profile: { namespace: "kanister", name: "s3" },
        },
      ],
    },
  });
  const migration = {
    ...newDraft("migration", at),
    namespace: "openshift-migration",
    plan: "shop",
    stage: true,
  };
  const spec = { migPlanRef: { name: "shop", namespace: "openshift-migration" }, stage: true };
  expect(recipes.migration.manifest(migration)).toMatchObject({ kind: "MigMigration", spec });
  expect(recipes.migration.manifest({ ...migration, stage: false })).toMatchObject({
    spec: { ...spec, stage: false, quiescePods: true },
  });
});

test.each(["backup", "restore", "action", "migration"] as const)(
  "an empty %s says what is missing",
  (what) => {
    expect(recipes[what].faults({ ...newDraft(what, at), name: "Not_A_Name" }).length).toBeGreaterThan(1);
  },
);

test("a command is quoted for a shell", () => {
  const draft = { ...newDraft("backup", at), name: "a; rm -rf '$HOME'", namespace: "velero" };
  expect(recipes.backup.command(draft)).toContain(`'a; rm -rf '\\''$HOME'\\'''`);
});

test("the commands are ones that headway takes", async () => {
  const drafts = {
    ...newDraft("backup", at),
    namespace: "velero",
    location: "default",
    namespaces: ["shop"],
    backup: "b",
    update: true,
    blueprint: "mysql",
    action: "backup",
    objectNamespace: "shop",
    objectName: "db",
    profile: "kanister/s3",
    plan: "shop",
  };
  for (const what of ["backup", "restore", "action", "migration"] as const) {
    const [program, ...args] = recipes[what].command(drafts).split(" ");
    expect(program).toBe("headway");
    const parsed = await parse(root, args, io);
    expect(parsed?.input).toBeDefined();
  }
});
