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
  const text = ["templates/operator.yaml", "templates/agent.yaml", "templates/webhook.yaml"]
    .map((path) => files.get(path) ?? "")
    .join("---\n")
    .replaceAll(/^\{\{-.*\}\}$/gm, "")
    .replaceAll("{{ .Release.Namespace }}", "velero")
    .replaceAll("{{ $cert }}", "Y2VydA==")
    .replaceAll("{{ $key }}", "a2V5")
    .replaceAll("{{ .Values.image }}", "headway:1")
    .replaceAll("{{ .Values.imagePullPolicy }}", "Always")
    .replaceAll("{{ .Values.hostPods }}", "/var/lib/kubelet/pods");
  const objects = parseAllDocuments(text)
    .map((one) => one.toJS() as unknown)
    .filter((one) => one !== null);
  const webhook = { cert: "Y2VydA==", key: "a2V5" };
  const want = program({ namespace: "velero", image: "headway:1", imagePullPolicy: "Always", webhook });
  expect(objects).toHaveLength(want.length);
  for (const object of want) expect(objects).toContainEqual(JSON.parse(JSON.stringify(object)));
});
