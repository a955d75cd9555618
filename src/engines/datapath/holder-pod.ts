import type { LabelExpression, LabelSelector } from "../../api/index.ts";
import { apiVersionOf, labelValue } from "../../kube/index.ts";
import { ownerOf } from "./owner.ts";
import { resources } from "./resources.ts";
import type { BackupClaim, MovementSettings } from "./settings.ts";
import { isUpload, type Made, type Movement, type NodeTerm } from "./shapes.ts";

/** What the pod that holds a volume on a node is made of. */
export interface HolderFacts {
  readonly settings: MovementSettings;
  readonly image: string;
  readonly pullPolicy: string;
  readonly block: boolean;
  /** The class of the claim that it holds. */
  readonly storageClass: string | undefined;
  readonly setting?: BackupClaim | undefined;
  /** The only node that will do. */
  readonly node?: string | undefined;
  /** Nodes that can reach the storage; any of them. */
  readonly topology?: readonly NodeTerm[];
}

/** Sleeps in any shell, and ends at once when it is told to. */
const script = 'trap "exit 0" TERM INT; while :; do sleep 3600 & wait $!; done';

/** The pod that holds a volume on a node while the agent of the node copies it. It does nothing, may nothing and sees nothing. */
export function holderPod(movement: Movement, facts: HolderFacts): Made {
  const { name, namespace, uid = "" } = movement.metadata;
  const { settings, setting } = facts;
  const [label, group] = isUpload(movement)
    ? ["velero.io/data-upload", "snapshot-exposer"]
    : ["velero.io/data-download", "generic-restore-exposer"];
  const labels = { ...settings.podLabels, [label]: labelValue(name), "velero.io/exposer-pod-group": group };
  return {
    apiVersion: apiVersionOf(resources.pods),
    kind: "Pod",
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels,
      ...(Object.keys(settings.podAnnotations).length > 0 && { annotations: settings.podAnnotations }),
      ownerReferences: [ownerOf(movement)],
    },
    spec: {
      containers: [container(uid, facts)],
      volumes: [
        {
          name: uid,
          persistentVolumeClaim: { claimName: name, ...(setting?.readOnly && { readOnly: true }) },
        },
      ],
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      securityContext: {
        runAsUser: 65_532,
        runAsGroup: 65_532,
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
        ...(setting?.spcNoRelabeling && { seLinuxOptions: { type: "spc_t" } }),
      },
      affinity: { nodeAffinity: nodeAffinity(facts) },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "kubernetes.io/hostname",
          whenUnsatisfiable: "ScheduleAnyway",
          labelSelector: { matchLabels: { "velero.io/exposer-pod-group": group } },
        },
      ],
      ...(settings.priorityClass !== undefined && { priorityClassName: settings.priorityClass }),
    },
  };
}

/** The volume lies where upstream's pods have it, below the uid. */
function container(uid: string, { image, pullPolicy, block, setting, settings }: HolderFacts): object {
  const place = `/${uid}`;
  const used = block
    ? { volumeDevices: [{ name: uid, devicePath: place }] }
    : { volumeMounts: [{ name: uid, mountPath: place, ...(setting?.readOnly && { readOnly: true }) }] };
  return {
    name: uid,
    image,
    imagePullPolicy: pullPolicy,
    command: ["sh", "-c", script],
    ...used,
    ...(settings.podResources && { resources: settings.podResources }),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    },
  };
}

/** A node that must be is the only wish; else Linux, what the settings say of the class, and where the storage is. */
function nodeAffinity({ node, settings, storageClass, topology = [] }: HolderFacts) {
  const terms = node === undefined ? wished(settings, storageClass, topology) : [only(node)];
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
}

function only(node: string): NodeTerm {
  return { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] };
}

function wished(
  { affinity }: MovementSettings,
  storageClass: string | undefined,
  topology: readonly NodeTerm[],
): readonly NodeTerm[] {
  const chosen =
    affinity.find((one) => one.storageClass !== undefined && one.storageClass === storageClass) ??
    affinity.find((one) => one.storageClass === undefined);
  const always = [
    { key: "kubernetes.io/os", operator: "NotIn", values: ["windows"] },
    ...(chosen ? expressions(chosen.nodeSelector) : []),
  ];
  const places = topology.length > 0 ? topology : [{}];
  return places.map((term) => ({ ...term, matchExpressions: [...(term.matchExpressions ?? []), ...always] }));
}

function expressions({ matchLabels, matchExpressions }: LabelSelector): readonly LabelExpression[] {
  const equal = Object.entries(matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: "In",
    values: [value],
  }));
  return [...equal, ...(matchExpressions ?? [])];
}
