import { expect, test } from "vitest";
import { type ActionParams, templateData } from "./params.ts";
import { renderArgs, renderText } from "./render.ts";

const secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "mysql", namespace: "db", labels: { a: "b" } },
  data: { password: Buffer.from("pässword").toString("base64") },
  type: "Opaque",
};
const params: ActionParams = {
  workload: {
    kind: "StatefulSet",
    name: "mysql",
    namespace: "db",
    pods: ["mysql-0", "mysql-1"],
    containers: [["mysql", "sidecar"], ["mysql"]],
    claims: { "mysql-0": { "data-mysql-0": "/var/lib/mysql" } },
  },
  object: { metadata: { name: "mysql", generation: 12_345_678 }, spec: { replicas: 3, ratio: 0.5 } },
  artifactsIn: { dump: { keyValue: { path: "/dumps/1" }, kopiaSnapshot: "{}" } },
  configMaps: {
    settings: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings" },
      data: { "my-key": "v" },
    },
  },
  secrets: { mysql: secret },
  profile: {
    name: "p",
    location: { type: "s3Compliant", bucket: "b", endpoint: "http://s3", prefix: "pre", region: "eu" },
    credential: { type: "keyPair", keyPair: { id: "ID", secret: "<key>" } },
    skipSslVerify: false,
  },
  time: "2026-11-15T10:00:00Z",
  options: { engine: "innodb" },
  podOverride: { tolerations: [] },
  podLabels: {},
  podAnnotations: {},
  phases: {
    scale: { secrets: { own: secret }, configMaps: {}, output: { originalReplicaCount: 3, path: "x" } },
  },
};
const data = templateData(params);
const render = (template: string) => renderText(template, data, "it");

test.each([
  ["{{ .StatefulSet.Name }}.{{ .StatefulSet.Namespace }}", "mysql.db"],
  ["{{ index .StatefulSet.Pods 1 }}", "mysql-1"],
  ["{{ index .StatefulSet.Containers 0 1 }}", "sidecar"],
  ["{{ range .StatefulSet.Pods }}{{ . }} {{ end }}", "mysql-0 mysql-1 "],
  ['{{ index .StatefulSet.PersistentVolumeClaims "mysql-0" "data-mysql-0" }}', "/var/lib/mysql"],
  ["{{ .Object.metadata.generation }} {{ .Object.spec.ratio }}", "12345678 0.5"],
  ["{{ .ArtifactsIn.dump.KeyValue.path }}{{ .ArtifactsIn.dump.KopiaSnapshot }}", "/dumps/1{}"],
  ['{{ index .ConfigMaps.settings.Data "my-key" }}', "v"],
  ["{{ .Secrets.mysql.Data.password | toString }} {{ .Secrets.mysql.Namespace }}", "pässword db"],
  ["{{ .Phases.scale.Output.originalReplicaCount }}", "3"],
  ["{{ .Phases.scale.Secrets.own.Data.password | toString | b64enc }}", "cMOkc3N3b3Jk"],
  ["{{ .Time | toString }} {{ .Options.engine | upper }}", "2026-11-15T10:00:00Z INNODB"],
  ['{{ if index .Options "no" }}a{{ else }}b{{ end }}', "b"],
  ["{{ if .Deployment }}a{{ else }}b{{ end }}", "b"],
  ["{{ toJson .Object.spec }}", '{"ratio":0.5,"replicas":3}'],
  [
    "{{ toJson .Profile }}",
    '{"Location":{"type":"s3Compliant","bucket":"b","endpoint":"http://s3","prefix":"pre","region":"eu"},"Credential":{"Type":"keyPair","KeyPair":{"ID":"ID","Secret":"\\u003ckey\\u003e"},"Secret":null,"KopiaServerSecret":null},"SkipSSLVerify":false}',
  ],
])("%s", (template, want) => {
  expect(render(template)).toBe(want);
});

test.each([
  "{{ .Options.missing }}",
  "{{ .Deployment.Name }}",
  "{{ .Nothing }}",
  "{{ .Phases.other.Output.x }}",
  "{{ .Phases.scale.Output.other }}",
  "{{ .ConfigMaps.settings.Data.my-key }}",
  "{{ env `HOME` }}",
])("%s fails, and says where", (template) => {
  expect(() => render(template)).toThrow(
    expect.objectContaining({
      code: "ACTION_TEMPLATE",
      message: expect.stringContaining("cannot render it"),
    }),
  );
});

test("renderArgs() renders lists, maps and their keys, passes over what is no text, and leaves some alone", () => {
  const args = {
    list: ["{{ .Options.engine }}", 1, null, ["{{ .Time }}"]],
    map: { "k-{{ .Options.engine }}": { deep: "{{ .StatefulSet.Name }}" } },
    conditions: ["{{ .unknown }}"],
  };
  expect(renderArgs(args, data, ["conditions"], "args")).toEqual({
    list: ["innodb", 1, null, ["2026-11-15T10:00:00Z"]],
    map: { "k-innodb": { deep: "mysql" } },
    conditions: ["{{ .unknown }}"],
  });
});
