import { expect, test } from "vitest";
import { Renderer } from "./render.ts";

const renderer = new Renderer();
const read = (template: string) => renderer.references(template).map((names) => names.join("."));

test.each([
  ["no template", []],
  ["{{ .Phases.dump.Output.path }} {{ .Phases.dump.Output.path }}", ["Phases.dump.Output.path"]],
  [
    "{{ index .Phases.dump.Secrets.mysql.Data `pass` | toString }}",
    ["Phases.dump.Secrets.mysql.Data.pass", "Phases.dump.Secrets.mysql.Data"],
  ],
  [
    "{{ if .Options.a }}{{ .Options.b }}{{ else }}{{ .Options.c }}{{ end }}",
    ["Options.a", "Options.b", "Options.c"],
  ],
  ["{{ range .StatefulSet.Pods }}{{ . }}{{ .x }}{{ $.Time }}{{ end }}", ["StatefulSet.Pods", "Time"]],
  ["{{ with $x := .Object.spec }}{{ $x.replicas }}{{ .y }}{{ end }}", ["Object.spec"]],
  ["{{ (index .Deployment.Pods 0).x }}", ["Deployment.Pods"]],
  ["{{ define `t` }}{{ .inner }}{{ end }}{{ template `t` .Profile }}", ["Profile"]],
  ['{{ printf "%s" (index .ArtifactsIn "a-b").KeyValue.x }}', ["ArtifactsIn.a-b", "ArtifactsIn"]],
])("references(%j)", (template, want) => {
  expect(read(template)).toEqual(want);
});
