import type { ActionSet } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Input, text, texts } from "../command.ts";

export type ActionSpec = NonNullable<NonNullable<ActionSet["spec"]>["actions"]>[number];
export type Reference = NonNullable<ActionSpec["object"]>;

/** What flags say about the actions to make; without objects those of the parent are taken. */
export interface Asked {
  readonly namespace: string;
  readonly name?: string | undefined;
  readonly action?: string | undefined;
  readonly blueprint?: string | undefined;
  readonly objects: readonly Reference[];
  readonly secrets?: Readonly<Record<string, Reference>> | undefined;
  readonly configMaps?: Readonly<Record<string, Reference>> | undefined;
  readonly profile?: Reference | undefined;
  readonly options: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly podLabels?: Readonly<Record<string, string>> | undefined;
  readonly podAnnotations?: Readonly<Record<string, string>> | undefined;
}

const wrong = (message: string) => new AppError("USAGE", message, { retry: false });

/** Reads the flags of `actionset create`, which are those of `kanctl create actionset`. */
export function readFlags(input: Input, namespace: string): Asked {
  const given = (flag: string) => (texts(input, flag).length > 0 ? texts(input, flag) : undefined);
  const refs = (flag: string) => given(flag) && namedReferences(flag, texts(input, flag));
  const pairs = (flag: string) => pairsOf(flag, texts(input, flag));
  const profile = text(input, "profile");
  return {
    namespace,
    name: text(input, "name"),
    action: text(input, "action"),
    blueprint: text(input, "blueprint"),
    objects: objectsOf(input),
    secrets: refs("secrets"),
    configMaps: refs("config-maps"),
    profile: profile === undefined ? undefined : profileReference(profile, namespace),
    options: pairs("options"),
    labels: pairs("labels"),
    podLabels: given("podlabels") && pairs("podlabels"),
    podAnnotations: given("podannotations") && pairs("podannotations"),
  };
}

/** The ActionSet: one action per object, or per action of the parent with its artifacts. */
export function buildActionSet(asked: Asked, parent: ActionSet | undefined, random: () => string): ActionSet {
  const actions = parent ? fromParent(asked, parent) : fromFlags(asked);
  const parts = [asked.action, parent?.metadata.name].filter((part) => part !== undefined);
  return {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "ActionSet",
    metadata: {
      name: asked.name ?? `${parts.join("-")}-${random()}`,
      namespace: asked.namespace,
      ...(Object.keys(asked.labels).length > 0 && { labels: asked.labels }),
    },
    spec: { actions },
  };
}

function fromFlags(asked: Asked): ActionSpec[] {
  const { action, blueprint, objects } = asked;
  if (action === undefined) throw wrong("--action is needed, or --from");
  if (blueprint === undefined) throw wrong("--blueprint is needed, or --from");
  if (objects.length === 0) {
    throw wrong(
      "no object to act on: use --deployment, --statefulset, --pvc, --namespacetargets, --objects or --selector",
    );
  }
  return objects.map((object) => ({ name: action, blueprint, object, ...common(asked, {}) }));
}

function fromParent(asked: Asked, parent: ActionSet): ActionSpec[] {
  const { name } = parent.metadata;
  if (parent.status?.state !== "complete") {
    throw wrong(
      `ActionSet "${name}" is ${parent.status?.state ?? "not begun"}; only a complete one can be gone on from`,
    );
  }
  return (parent.status.actions ?? []).flatMap((done, i) => {
    const before = parent.spec?.actions?.[i] ?? {};
    const objects = asked.objects.length > 0 ? asked.objects : [done.object ?? {}];
    return objects.map((object) => ({
      name: asked.action ?? done.name ?? "",
      blueprint: asked.blueprint ?? done.blueprint ?? "",
      object,
      ...(done.artifacts && { artifacts: done.artifacts }),
      ...common(asked, before),
    }));
  });
}

/** What all actions share; flags win over the parent. */
function common(asked: Asked, before: ActionSpec): Partial<ActionSpec> {
  const values = {
    secrets: asked.secrets ?? before.secrets,
    configMaps: asked.configMaps ?? before.configMaps,
    profile: asked.profile ?? before.profile,
    podOverride: before.podOverride,
    podLabels: asked.podLabels ?? before.podLabels,
    podAnnotations: asked.podAnnotations ?? before.podAnnotations,
  };
  const options = { ...before.options, ...asked.options };
  const kept = Object.entries(values).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(kept), ...(Object.keys(options).length > 0 && { options }) };
}

/** Objects that flags name one by one; those of `--selector` are looked up elsewhere. */
function objectsOf(input: Input): Reference[] {
  const of = (flag: string, kind: string) =>
    texts(input, flag).map((place) => ({ kind, ...placeOf(flag, place) }));
  return [
    ...of("deployment", "deployment"),
    ...of("statefulset", "statefulset"),
    ...of("deploymentconfig", "deploymentconfig"),
    ...of("pvc", "pvc"),
    ...texts(input, "namespacetargets").map((name) => ({ kind: "namespace", name, namespace: name })),
    ...texts(input, "objects").map(anyObject),
  ];
}

function placeOf(flag: string, place: string): { namespace: string; name: string } {
  const [namespace = "", name = "", ...more] = place.split("/");
  if (namespace === "" || name === "" || more.length > 0)
    throw wrong(`--${flag} takes NAMESPACE/NAME, not "${place}"`);
  return { namespace, name };
}

/** group/version/resource/namespace/name; the core group has no group. */
function anyObject(place: string): Reference {
  const parts = place.split("/");
  const [name, namespace, resource, apiVersion, group = ""] = parts.toReversed();
  if (parts.length < 4 || parts.length > 5 || !name || !namespace || !resource || !apiVersion) {
    throw wrong(`--objects takes GROUP/VERSION/RESOURCE/NAMESPACE/NAME, not "${place}"`);
  }
  return { group, apiVersion, resource, name, namespace };
}

function namedReferences(flag: string, list: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(
    list.map((entry) => {
      const [key = "", place = "", ...more] = entry.split("=");
      if (key === "" || more.length > 0) throw wrong(`--${flag} takes REF=NAMESPACE/NAME, not "${entry}"`);
      return [key, placeOf(flag, place)];
    }),
  );
}

function pairsOf(flag: string, list: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    list.map((entry) => {
      const [key = "", value, ...more] = entry.split("=").map((part) => part.trim());
      if (key === "" || value === undefined || more.length > 0)
        throw wrong(`--${flag} takes KEY=VALUE, not "${entry}"`);
      return [key, value];
    }),
  );
}

function profileReference(text: string, own: string): Reference {
  const [name = "", namespace = own, ...more] = text.split("/").toReversed();
  if (name === "" || more.length > 0) throw wrong(`--profile takes NAME or NAMESPACE/NAME, not "${text}"`);
  return { name, namespace };
}
