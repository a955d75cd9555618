import { applyStrategicPatch } from "../../../api/index.ts";
import { isRecord, type Json } from "../args.ts";

/** A pod that a function wants. */
export interface WantedPod {
  /** The beginning of its name. */
  readonly prefix: string;
  readonly namespace: string;
  readonly image: string;
  readonly command: readonly string[];
  /** Mount path by claim. */
  readonly volumes?: Readonly<Record<string, string>>;
  /** Claims that may only be read. */
  readonly readOnlyClaims?: readonly string[];
  readonly serviceAccount?: string | undefined;
  /** A Secret whose keys become variables: the only way for credentials into a pod. */
  readonly envSecret?: string | undefined;
  /** What its container may do. */
  readonly securityContext?: Json;
  /** What the blueprint wants changed, then what the ActionSet wants changed. */
  readonly overrides?: readonly Json[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * What a data mover may do: as the user of its image, with power over files of others where that is root, and with nothing else. The same
 * six capabilities as the node agent's. Pods of a blueprint's own commands get what upstream gives them; `podOverride` narrows both.
 */
export const moverContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"], add: ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "MKNOD", "SETFCAP"] },
  seccompProfile: { type: "RuntimeDefault" },
};

/** What an installation wants of every pod. */
export interface PodDefaults {
  /** Neither a special account nor its token. */
  readonly secure: boolean;
  readonly imagePullPolicy: string;
}

/** The pod as it is created, but for its name. */
export function podManifest(wanted: WantedPod, defaults: PodDefaults): Json {
  const claims = Object.entries(wanted.volumes ?? {});
  const readOnly = new Set(wanted.readOnlyClaims ?? []);
  const container = {
    name: "container",
    image: wanted.image,
    imagePullPolicy: defaults.imagePullPolicy,
    command: wanted.command,
    ...(claims.length > 0 && {
      volumeMounts: claims.map(([claim, mountPath], i) => ({
        name: `vol-${i}`,
        mountPath,
        ...(readOnly.has(claim) && { readOnly: true }),
      })),
    }),
    ...(wanted.securityContext && { securityContext: wanted.securityContext }),
    ...(wanted.envSecret !== undefined && { envFrom: [{ secretRef: { name: wanted.envSecret } }] }),
  };
  const account = defaults.secure ? "default" : wanted.serviceAccount;
  const spec = {
    containers: [container],
    restartPolicy: "Never",
    ...(account && { serviceAccountName: account }),
    ...(defaults.secure && { automountServiceAccountToken: false }),
    ...(claims.length > 0 && {
      volumes: claims.map(([claimName], i) => ({
        name: `vol-${i}`,
        persistentVolumeClaim: { claimName, ...(readOnly.has(claimName) && { readOnly: true }) },
      })),
    }),
  };
  return manifest(wanted, overridden(spec, wanted.overrides ?? [], "container"));
}

/** Puts metadata around a pod's spec. */
export function manifest(wanted: Omit<WantedPod, "image" | "command">, spec: Json): Json {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: wanted.prefix,
      namespace: wanted.namespace,
      labels: { createdBy: "kanister", ...wanted.labels },
      ...(wanted.annotations && { annotations: wanted.annotations }),
    },
    spec,
  };
}

/** A pod's spec with overrides merged in, one after the other; the main container stays the first. */
export function overridden(spec: Json, overrides: readonly Json[], main: string): Json {
  const merged = overrides.reduce((now, patch) => applyStrategicPatch(now, patch), spec);
  const containers = Array.isArray(merged["containers"]) ? (merged["containers"] as unknown[]) : [];
  const isMain = (one: unknown) => isRecord(one) && one["name"] === main;
  return {
    ...merged,
    containers: [...containers.filter(isMain), ...containers.filter((one) => !isMain(one))],
  };
}
