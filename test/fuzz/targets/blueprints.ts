import { kinds } from "../../../src/api/index.ts";
import { reviewAdmission } from "../../../src/engines/actionset/index.ts";
import { profileFaults } from "../../../src/engines/actionset/profile.ts";
import { mutateText } from "../bytes.ts";
import { type Json, mutateJson } from "../json.ts";
import { anObject } from "../schema.ts";
import { target } from "../target.ts";

const blueprint: Json = {
  apiVersion: "cr.kanister.io/v1alpha1",
  kind: "Blueprint",
  metadata: { name: "b" },
  actions: {
    backup: {
      outputArtifacts: {
        dump: {
          keyValue: { path: "{{ .Phases.dump.Output.path }}" },
          kopiaSnapshot: "{{ .Phases.dump.Output.kopiaOutput }}",
        },
      },
      configMapNames: ["location"],
      phases: [
        {
          func: "KubeTask",
          name: "dump",
          objects: {
            secret: {
              kind: "Secret",
              name: "{{ .StatefulSet.Name }}",
              namespace: "{{ .StatefulSet.Namespace }}",
            },
          },
          args: {
            image: "busybox",
            namespace: "{{ .StatefulSet.Namespace }}",
            command: ["sh", "-c", "echo {{ index .Object.metadata.labels `a` | quote }}"],
            podOverride: { containers: [] },
            podLabels: { a: "b" },
          },
        },
        { func: "ScaleWorkload", name: "down", args: { replicas: 0, name: "x", kind: "deployment" } },
        { func: "KubeOps", name: "make", args: { operation: "create", spec: "{{ toJson . }}" } },
        {
          func: "Wait",
          name: "wait",
          args: { timeout: "1m", conditions: { anyOf: [{ condition: "{{ true }}" }] } },
        },
      ],
      deferPhase: { func: "KubeExec", name: "end", args: { namespace: "a", pod: "b", command: ["true"] } },
    },
  },
};
const actionSet: Json = {
  apiVersion: "cr.kanister.io/v1alpha1",
  kind: "ActionSet",
  metadata: { name: "a" },
  spec: {
    actions: [
      {
        name: "backup",
        blueprint: "b",
        object: { kind: "StatefulSet", name: "db", namespace: "shop" },
        profile: { name: "p", namespace: "k" },
        options: { a: "b" },
        podLabels: { "a/b": "c" },
        secrets: { s: { kind: "Secret", name: "s", namespace: "n" } },
      },
    ],
  },
};

/** What an API server asks the webhook. */
export const blueprints = target<{ readonly kind: string; readonly object: Json; readonly profile: Json }>({
  name: "blueprints",
  covers:
    "the review of Blueprints and ActionSets by the admission webhook, with the templates in them; Profiles",
  make(random) {
    const kind = random.of(["Blueprint", "Blueprint", "ActionSet"]);
    const sample = kind === "Blueprint" ? blueprint : actionSet;
    const object = random.oneIn(4)
      ? anObject(random, kinds[kind as "Blueprint" | "ActionSet"])
      : mutateJson(random, inTemplates(random, sample));
    return { kind, object, profile: anObject(random, kinds.Profile) };
  },
  run({ kind, object, profile }) {
    reviewAdmission({ apiVersion: "admission.k8s.io/v1", request: { uid: "u", kind: { kind }, object } });
    profileFaults(profile as never); // read field by field
  },
});

function inTemplates(random: Parameters<typeof mutateText>[0], value: Json): Json {
  if (typeof value === "string")
    return value.includes("{{") && random.oneIn(3) ? mutateText(random, value) : value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => inTemplates(random, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, inTemplates(random, one as Json)]),
  );
}
