/** A volume of a pod: its name, and its source under the source's own key. */
export type PodVolume = Readonly<Record<string, unknown>> & { readonly name: string };

/** A container, as far as volumes go. */
export type PodContainer = Readonly<Record<string, unknown>> & { readonly name: string };

/** A pod as the API server has it; only what volumes need is named. */
export interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly spec?: {
    readonly nodeName?: string;
    readonly volumes?: readonly PodVolume[];
    readonly containers?: readonly PodContainer[];
    readonly initContainers?: readonly PodContainer[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly initContainerStatuses?: readonly {
      readonly name: string;
      readonly state?: { readonly running?: object | null; readonly terminated?: object | null };
    }[];
  };
}

/** The claim behind a volume of a pod. Ephemeral volumes have one named after the pod. */
export function claimOf(pod: PodObject, volume: PodVolume): string | undefined {
  const { claimName } = (volume["persistentVolumeClaim"] ?? {}) as { claimName?: string }; // the server's own shape
  if (claimName !== undefined) return claimName;
  return volume["ephemeral"] === undefined ? undefined : `${pod.metadata.name}-${volume.name}`;
}

/** The volume of this name. */
export function volumeOf(pod: PodObject, name: string): PodVolume | undefined {
  return pod.spec?.volumes?.find((volume) => volume.name === name);
}

/** Names of the volumes that containers use in a way: mounted as folders, or handed in as raw devices. */
export function usedVolumes(pod: PodObject, how: "volumeMounts" | "volumeDevices"): ReadonlySet<string> {
  const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return new Set(
    all.flatMap((container) => ((container[how] ?? []) as { name: string }[]).map(({ name }) => name)), // the server's own shape
  );
}
