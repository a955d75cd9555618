import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import about from "../../../package.json" with { type: "json" };
import { chart } from "./chart.ts";
import { program } from "./manifests.ts";

const folder = join(import.meta.dirname, "../../../deploy/chart");

test("deploy/chart is what `npm run gen` makes", () => {
  const want = chart(about.version);
  const have = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  expect(have.toSorted()).toEqual([...want.keys()].toSorted());
  for (const [path, text] of want) expect(readFileSync(join(folder, path), "utf8"), path).toBe(text);
});

test("the chart holds the same objects as headway install", () => {
  const files = chart("1.2.3");
  const text = [
    "templates/operator.yaml",
    "templates/rights.yaml",
    "templates/agent.yaml",
    "templates/webhook.yaml",
  ]
    .map((path) => files.get(path) ?? "")
    .join("---\n")
    .replaceAll(/^\{\{-.*\}\}$/gm, "")
    .replaceAll(/\{\{ \$?\.Release\.Namespace \}\}/g, "velero")
    .replaceAll("{{ .Values.restoreRights }}", "cluster")
    .replaceAll("{{ toJson .Values.restoreAccounts }}", '["headway-restore"]')
    .replaceAll(/\{\{ (\$account|first \.Values\.restoreAccounts) \}\}/g, "headway-restore")
    .replaceAll("{{ $cert }}", "Y2VydA==")
    .replaceAll("{{ $key }}", "a2V5")
    .replaceAll("{{ .Values.image }}", "headway:1")
    .replaceAll("{{ .Values.imagePullPolicy }}", "Always")
    .replaceAll("{{ .Values.hostPods }}", "/var/lib/kubelet/pods");
  const objects = parseAllDocuments(text)
    .map((one) => one.toJS() as unknown)
    .filter((one) => one !== null);
  const webhook = { cert: "Y2VydA==", key: "a2V5" };
  // With every choice in, as the text has it when its conditions are left out.
  const rights = { restore: "cluster", action: "cluster", migration: "cluster" } as const;
  const want = program({
    namespace: "velero",
    image: "headway:1",
    imagePullPolicy: "Always",
    webhook,
    rights,
  });
  expect(objects).toHaveLength(want.length);
  for (const object of want) expect(objects).toContainEqual(JSON.parse(JSON.stringify(object)));
});

test("the chart asks for what goes beyond backups before it gives it", () => {
  const text = chart("1.2.3").get("templates/rights.yaml") ?? "";
  const part = (condition: string) =>
    text.split(`{{- if ${condition} }}`)[1]?.split("{{- end }}\n{{- if")[0] ?? "";
  expect(part('ne .Values.restoreRights "none"')).toContain("impersonate");
  expect(part('eq .Values.restoreRights "cluster"')).toContain("escalate");
  expect(part('eq .Values.actionRights "cluster"')).toContain("headway-actions");
  expect(part('eq .Values.migrationRights "cluster"')).toContain("headway-migrations");
  expect(chart("1.2.3").get("templates/operator.yaml")).not.toMatch(/escalate|impersonate/);
});
