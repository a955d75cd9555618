import { parse, stringify } from "yaml";
import { define, type Func } from "../../packages/template/functions/define.ts";
import { Renderer } from "../../packages/template/index.ts";
import { toJson } from "../../packages/template/json.ts";
import { type Value, wrap } from "../../packages/template/value.ts";
import type { KubeObject } from "../../src/api/index.ts";

type Plain = Readonly<Record<string, unknown>>;

/**
 * Renders a chart as Helm does, by this program's own templates: the unit tier has no Helm. What a cluster would answer is empty. Text by path.
 */
export function renderChart(
  files: ReadonlyMap<string, string>,
  given: Plain = {},
  namespace = "velero",
): ReadonlyMap<string, string> {
  const about = parse(files.get("Chart.yaml") ?? "") as { name: string; version: string; appVersion: string };
  const values = over(parse(files.get("values.yaml") ?? "") as Plain, given);
  const helpers = [...files].filter(([path]) => path.endsWith(".tpl")).map(([, text]) => text);
  const data = {
    Values: values,
    Release: { Namespace: namespace, Name: "headway", Service: "Helm" },
    Chart: { Name: about.name, Version: about.version, AppVersion: about.appVersion },
  };
  const functions: Record<string, Func> = {
    toYaml: define("any", (a) => stringify(JSON.parse(toJson(a.any(0))), { lineWidth: 0 }).trimEnd()),
    fromYaml: define("string", (a) => wrap(parse(a.text(0)))),
    include: define("string any", (a) =>
      renderer.render(`${helpers.join("\n")}{{ template "${a.text(0)}" . }}`, a.any(1)),
    ),
    lookup: define("string string string string", () => wrap({})),
    genSelfSignedCert: define("string any any int", () => wrap({ Cert: "cert", Key: "key" })),
    file: define("string", (a): Value => files.get(a.text(0)) ?? ""),
  };
  const renderer = new Renderer({ functions, missingKey: "zero" });
  const rendered = [...files]
    .filter(([path]) => path.startsWith("templates/") && !path.endsWith(".tpl"))
    // Files.Get is a method of Helm's own, which a plain map cannot have.
    .map(([path, text]) => [path, renderer.render(text.replaceAll(".Files.Get", "file"), data)] as const);
  return new Map(rendered);
}

/** The objects of rendered templates. */
export function objectsOf(rendered: ReadonlyMap<string, string>): KubeObject[] {
  return [...rendered]
    .filter(([path]) => path.endsWith(".yaml"))
    .flatMap(([, text]) => text.split(/^---$/m).map((part) => parse(part) as KubeObject | null))
    .filter((one) => one !== null);
}

/** Maps are merged, everything else is replaced; null takes a key away. */
function over(base: Plain, given: Plain): Plain {
  const out: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(given)) {
    const was = out[key];
    if (value === null) delete out[key];
    else out[key] = isMap(value) && isMap(was) ? over(was, value) : value;
  }
  return out;
}

function isMap(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
