import {
  Bytes,
  type Field,
  List,
  NilPointer,
  Struct,
  stringDict,
  stringList,
  type Value,
} from "../../../packages/template/index.ts";
import type { MoverKind } from "../../movers/index.ts";
import type { Json } from "./args.ts";
import type { ConfigMapObject, SecretObject } from "./core-objects.ts";
import type { Artifacts, Output } from "./status.ts";

/** A workload with what templates may ask of it. */
export interface WorkloadParams {
  readonly kind: "StatefulSet" | "Deployment" | "DeploymentConfig";
  readonly name: string;
  readonly namespace: string;
  /** Names of the pods that run. */
  readonly pods: readonly string[];
  /** Container names of each of those pods. */
  readonly containers: readonly (readonly string[])[];
  /** Mount path by claim by pod. */
  readonly claims: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A Profile with its Secrets read. */
export interface ProfileParams {
  readonly name: string;
  readonly location: {
    readonly type: string;
    readonly bucket: string;
    readonly endpoint: string;
    readonly prefix: string;
    readonly region: string;
  };
  readonly credential: {
    readonly type: string;
    readonly keyPair?: { readonly id: string; readonly secret: string } | undefined;
    readonly secret?: SecretObject | undefined;
    readonly kopiaServer?: KopiaServerParams | undefined;
  };
  readonly skipSslVerify: boolean;
  /** Which mover keeps the data, when the Profile says so. */
  readonly mover?: MoverKind | undefined;
}

export interface KopiaServerParams {
  readonly username: string;
  readonly hostname: string;
  readonly password: string;
  readonly cert: string;
  readonly connectOptions: Readonly<Record<string, number>>;
}

/** What a phase brought into the templates. */
export interface PhaseParams {
  readonly secrets: Readonly<Record<string, SecretObject>>;
  readonly configMaps: Readonly<Record<string, ConfigMapObject>>;
  readonly output: Output;
}

/** Everything that the templates of an action may read. */
export interface ActionParams {
  readonly workload?: WorkloadParams | undefined;
  readonly claim?: { readonly name: string; readonly namespace: string } | undefined;
  readonly space?: { readonly name: string; readonly namespace: string } | undefined;
  readonly object: Json;
  readonly artifactsIn: Artifacts;
  readonly configMaps: Readonly<Record<string, ConfigMapObject>>;
  readonly secrets: Readonly<Record<string, SecretObject>>;
  readonly profile?: ProfileParams | undefined;
  /** RFC 3339, the same for the whole action. */
  readonly time: string;
  readonly options: Readonly<Record<string, string>>;
  readonly podOverride: Json;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly podAnnotations: Readonly<Record<string, string>>;
  readonly phases: Readonly<Record<string, PhaseParams>>;
  readonly deferPhase?: PhaseParams | undefined;
}

/** Names at the top of the parameters; anything else is an error in every template. */
export const topNames = [
  "StatefulSet",
  "Deployment",
  "DeploymentConfig",
  "PVC",
  "Namespace",
  "Object",
  "ArtifactsIn",
  "ConfigMaps",
  "Secrets",
  "Profile",
  "Time",
  "Options",
  "Phases",
  "DeferPhase",
  "CurrentPhase",
  "PodOverride",
  "PodLabels",
  "PodAnnotations",
  "RepositoryServer",
] as const;

const workloadFields = ["Name", "Namespace", "Pods", "Containers", "PersistentVolumeClaims"];
const placeFields = ["Name", "Namespace"];
const profileFields = ["Location", "Credential", "SkipSSLVerify"];
const phaseFields = ["Secrets", "ConfigMaps", "Output"];

/** The parameters as the values of Go that upstream's templates see. */
export function templateData(params: ActionParams): Struct {
  const { workload, claim, space, profile, deferPhase } = params;
  const of = (kind: WorkloadParams["kind"]) =>
    workload?.kind === kind
      ? workloadValue(workload)
      : new NilPointer(`*param.${kind}Params`, workloadFields);
  const place = (name: string, value: typeof claim) =>
    value
      ? struct(`param.${name}`, { Name: value.name, Namespace: value.namespace })
      : new NilPointer(`*param.${name}`, placeFields);
  const values: Record<(typeof topNames)[number], unknown> = {
    StatefulSet: of("StatefulSet"),
    Deployment: of("Deployment"),
    DeploymentConfig: of("DeploymentConfig"),
    PVC: place("PVCParams", claim),
    Namespace: place("NamespaceParams", space),
    Object: withInt64(params.object),
    ArtifactsIn: mapped(params.artifactsIn, ({ keyValue = {}, kopiaSnapshot = "" }) =>
      struct("v1alpha1.Artifact", { KeyValue: texts(keyValue), KopiaSnapshot: kopiaSnapshot }, false),
    ),
    ConfigMaps: mapped(params.configMaps, configMapValue),
    Secrets: mapped(params.secrets, secretValue),
    Profile: profile ? profileValue(profile) : new NilPointer("*param.Profile", profileFields),
    Time: params.time,
    Options: texts(params.options),
    Phases: mapped(params.phases, phaseValue),
    DeferPhase: deferPhase ? phaseValue(deferPhase) : new NilPointer("*param.Phase", phaseFields),
    CurrentPhase: new NilPointer("*param.Phase", phaseFields),
    PodOverride: withInt64(params.podOverride),
    PodLabels: texts(params.podLabels),
    PodAnnotations: texts(params.podAnnotations),
    RepositoryServer: new NilPointer("*param.RepositoryServer", [
      "Name",
      "Namespace",
      "ServerInfo",
      "Username",
    ]),
  };
  return struct("param.TemplateParams", values, false);
}

/** JSON as Go's unstructured objects have it: whole numbers are int64, which print without an exponent. */
export function withInt64(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withInt64);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withInt64(one)]));
}

function struct(name: string, values: Readonly<Record<string, unknown>>, pointer = true): Struct {
  const fields = Object.entries(values).map(([key, value]): Field => ({ name: key, value }));
  return new Struct(name, fields, { pointer });
}

function mapped<T>(from: Readonly<Record<string, T>>, make: (one: T) => Value): Map<string, Value> {
  return new Map(Object.entries(from).map(([key, one]) => [key, make(one)]));
}

function texts(from: Readonly<Record<string, string>>): Value {
  return stringDict(Object.entries(from));
}

function workloadValue(workload: WorkloadParams): Value {
  const { name, namespace, pods, containers, claims } = workload;
  return struct(`param.${workload.kind}Params`, {
    Name: name,
    Namespace: namespace,
    Pods: stringList(pods),
    Containers: new List(
      { name: "[][]string", kind: "slice" },
      containers.map((names) => stringList(names)),
    ),
    PersistentVolumeClaims: mapped(claims, texts),
  });
}

/** Fields that every object of Kubernetes gives its templates; in JSON they are one, `metadata`. */
function metaFields({ apiVersion, kind, metadata }: SecretObject | ConfigMapObject): Field[] {
  const { name, namespace = "", labels = {}, annotations = {}, uid = "" } = metadata;
  const inside = [
    { name: "Name", json: "name", value: name },
    { name: "Namespace", json: "namespace", value: namespace, omitEmpty: true },
    { name: "UID", json: "uid", value: uid, omitEmpty: true },
    { name: "Labels", json: "labels", value: texts(labels), omitEmpty: true },
    { name: "Annotations", json: "annotations", value: texts(annotations), omitEmpty: true },
  ];
  return [
    { name: "Kind", json: "kind", value: kind ?? "", omitEmpty: true },
    { name: "APIVersion", json: "apiVersion", value: apiVersion ?? "", omitEmpty: true },
    { name: "ObjectMeta", json: "metadata", value: new Struct("v1.ObjectMeta", inside) },
    ...inside.map((field) => ({ name: field.name, value: field.value, json: "-" })),
  ];
}

function bytes(data: Readonly<Record<string, string>>): Map<string, Value> {
  return mapped(data, (text) => new Bytes(Buffer.from(text, "base64")));
}

function secretValue(secret: SecretObject): Struct {
  return new Struct("v1.Secret", [
    ...metaFields(secret),
    { name: "Data", json: "data", value: bytes(secret.data ?? {}), omitEmpty: true },
    { name: "StringData", json: "stringData", value: texts({}), omitEmpty: true },
    { name: "Type", json: "type", value: secret.type ?? "", omitEmpty: true },
  ]);
}

function configMapValue(map: ConfigMapObject): Struct {
  return new Struct("v1.ConfigMap", [
    ...metaFields(map),
    { name: "Data", json: "data", value: texts(map.data ?? {}), omitEmpty: true },
    { name: "BinaryData", json: "binaryData", value: bytes(map.binaryData ?? {}), omitEmpty: true },
  ]);
}

function phaseValue(phase: PhaseParams): Struct {
  return struct("param.Phase", {
    Secrets: mapped(phase.secrets, secretValue),
    ConfigMaps: mapped(phase.configMaps, configMapValue),
    Output: new Map(Object.entries(withInt64(phase.output) as Json)), // an object stays one
  });
}

/** `kando --profile` reads the JSON of this: its names are upstream's, the inner ones of Location in lower case. */
function profileValue({ location, credential, skipSslVerify }: ProfileParams): Struct {
  const { keyPair, secret, kopiaServer } = credential;
  const place = Object.entries(location).map(([key, value]) => ({
    name: key.charAt(0).toUpperCase() + key.slice(1),
    json: key,
    value,
  }));
  return struct("param.Profile", {
    Location: new Struct("v1alpha1.Location", place),
    Credential: struct(
      "param.Credential",
      {
        Type: credential.type,
        KeyPair: keyPair ? struct("param.KeyPair", { ID: keyPair.id, Secret: keyPair.secret }) : null,
        Secret: secret ? secretValue(secret) : null,
        KopiaServerSecret: kopiaServer ? kopiaValue(kopiaServer) : null,
      },
      false,
    ),
    SkipSSLVerify: skipSslVerify,
  });
}

function kopiaValue({ username, hostname, password, cert, connectOptions }: KopiaServerParams): Struct {
  return struct("param.KopiaServerCreds", {
    Username: username,
    Hostname: hostname,
    Password: password,
    Cert: cert,
    ConnectOptions: new Map(Object.entries(withInt64(connectOptions) as Json)), // an object stays one
  });
}
