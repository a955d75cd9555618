import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isNotFound } from "../../src/kube/index.ts";
import { BackupStage, core, tarNames } from "../harness/backup-stage.ts";
import { eventually } from "../harness/eventually.ts";
import { findPart } from "../harness/parts.ts";

// Upstream's own command line against our operator: who has `velero` at hand need not learn ours. A tier of its own, because
// building that program takes long; `test/parts/build velero` makes it, HEADWAY_VELERO names another one.
const found = findPart("velero", "HEADWAY_VELERO");
const program = "program" in found ? found.program : "";

let stage: BackupStage;
let shop: string;
beforeAll(async () => {
  if ("missing" in found) throw new Error(found.missing);
  stage = await BackupStage.open();
  shop = await stage.app("cli-shop");
  await stage.configMaps(shop, 5);
  stage.operator();
});
afterAll(() => stage.close());

/** What velero printed; it fails with both of its outputs. */
async function velero(...args: readonly string[]): Promise<string> {
  const { kubeconfig } = stage.cluster;
  const all = [...args, "--kubeconfig", kubeconfig, "--namespace", stage.namespace];
  const { stdout, stderr } = await promisify(execFile)(program, all, { timeout: 120_000 });
  return stdout + stderr;
}

const rows = (text: string): string[][] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(/\s{2,}/));

test("version and backup-location get", async () => {
  expect(await velero("version")).toMatch(/Server:\s+Version: .*headway/);
  const found = await eventually(
    async () => rows(await velero("backup-location", "get")),
    (table) => table[1]?.includes("Available") ?? false,
  );
  expect(found[1]?.slice(0, 4)).toEqual(["default", "filesystem", "b", "Available"]);
});

test("backup create, get, describe, logs, download and delete", async () => {
  expect(await velero("backup", "create", "one", "--include-namespaces", shop, "--wait")).toContain(
    "Backup completed with status: Completed",
  );
  expect(rows(await velero("backup", "get"))[1]?.slice(0, 4)).toEqual(["one", "Completed", "0", "0"]);
  const described = await velero("backup", "describe", "one", "--details");
  expect(described).toMatch(/Phase:\s+.*Completed/);
  expect(described).toContain(`    - ${shop}/cm-4`);
  expect(described).toMatch(/Backup Volumes:\s+Velero-Native Snapshots: <none included>/);
  expect(described).not.toMatch(/error/i);
  const json = JSON.parse(await velero("backup", "describe", "one", "-o", "json")) as { phase: string };
  expect(json.phase).toBe("Completed");
  expect(await velero("backup", "logs", "one")).toContain("the backup ends as Completed");
  const file = join(stage.folder, "one.tar.gz");
  await velero("backup", "download", "one", "--output", file);
  expect(readFileSync(file)).toEqual(stage.read("one", "one.tar.gz"));
  expect(tarNames(readFileSync(file))).toContain(`resources/configmaps/namespaces/${shop}/cm-0.json`);
});

test("restore create, get, describe and logs", async () => {
  const copy = `${shop}-copy`;
  expect(
    await velero(
      "restore",
      "create",
      "r1",
      "--from-backup",
      "one",
      "--namespace-mappings",
      `${shop}:${copy}`,
      "--wait",
    ),
  ).toContain("Restore completed with status: Completed");
  expect(rows(await velero("restore", "get"))[1]?.slice(0, 3)).toEqual(["r1", "one", "Completed"]);
  const described = await velero("restore", "describe", "r1", "--details");
  expect(described).toMatch(/Phase:\s+.*Completed/);
  expect(described).toContain(`${copy}/cm-0(created)`);
  expect(await velero("restore", "logs", "r1")).toContain("items are to be restored");
  await stage.client.get(core("configmaps", "ConfigMap"), "cm-0", { namespace: copy });
  await velero("restore", "delete", "r1", "--confirm");
  await eventually(
    async () => await velero("restore", "get"),
    (text) => !text.includes("r1"),
  );
  await stage.drop(copy);
});

test("schedule create, get, describe, pause, unpause and delete", async () => {
  await velero("schedule", "create", "evening", "--schedule", "0 3 * * *", "--include-namespaces", shop);
  // Upstream's command lists the schedules of all namespaces.
  const own = async () => rows(await velero("schedule", "get")).find(([name]) => name === "evening");
  const enabled = await eventually(own, (row) => row?.[1] === "Enabled");
  expect(enabled?.[3]).toBe("0 3 * * *");
  expect(await velero("schedule", "describe", "evening")).toMatch(/Schedule:\s+0 3 \* \* \*/);
  await velero("schedule", "pause", "evening");
  expect((await own())?.at(-1)?.trim()).toBe("true");
  await velero("schedule", "unpause", "evening");
  await velero("backup", "create", "by-hand", "--from-schedule", "evening", "--wait");
  expect((await stage.get("by-hand")).status).toMatchObject({ phase: "Completed" });
  await velero("schedule", "delete", "evening", "--confirm");
  expect(await velero("schedule", "get")).not.toContain("evening");
});

test("backup delete removes the backup and its files", async () => {
  await velero("backup", "delete", "one", "--confirm");
  await eventually(
    () => stage.get("one").catch((error: unknown) => isNotFound(error)),
    (gone) => gone === true,
  );
  expect(stage.files("one")).toEqual([]);
});
